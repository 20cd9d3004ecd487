"""Makes a call from a script: two voices, exact times, exact labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agent.calls.compose import Placed, Sound, Spoken, spoken, write_call
from agent.calls.label import Progress, ignore
from agent.calls.model import Call, Role, check_segments
from agent.calls.script import Line, Script, read_script
from agent.calls.voices import HibariVoice, PacedVoice
from stages.errors import InputError


@dataclass(frozen=True, slots=True)
class Voices:
    """Who speaks for whom."""

    caller: PacedVoice
    agent: PacedVoice

    def of(self, role: Role) -> PacedVoice:
        """The voice of a party."""
        return self.caller if role == "caller" else self.agent


def default_voices(seed: int) -> Voices:
    """The second speaker for the caller, and a deeper version of it for the agent: no model file is needed."""
    return Voices(caller=HibariVoice(seed=seed), agent=HibariVoice(pitch=0.82, seed=seed))


def make_call(script_path: Path, out: Path, voices: Voices, progress: Progress = ignore) -> Call:
    """Speak the script and write the call beside ``out`` (DIR/NAME, .wav or .call.json).

    The same script, seed and voices give the same samples. Gaps and pauses are exact to the sample, from the last
    voiced 10 ms window of one line to the first of the next. Raises InputError for a script that is wrong or lets a
    party overlap itself, EnvironmentFault if the disk refuses.
    """
    script = read_script(script_path)
    sound = Sound(script.band, script.codec, script.noise, script.seed)
    placed = _place(script, voices, sound, progress)
    segments = tuple(sorted((one.segment(sound.rate_hz) for one in placed), key=lambda one: one.start_s))
    check_segments(script_path, "turns", segments)
    samples = max(one.end for one in placed) + round(script.tail_s * sound.rate_hz)
    about = {
        "text_source": f"the script {script_path.name}",
        "note": "Made by a program: both voices are synthetic.",
        "made": {
            "script": script.model_dump(mode="json", exclude={"lines"}, exclude_defaults=True),
            "caller_voice": voices.caller.name,
            "agent_voice": voices.agent.name,
        },
    }
    return write_call(out, placed, samples, sound, about, script_path.parent)


def _place(script: Script, voices: Voices, sound: Sound, progress: Progress) -> list[Placed]:
    placed: list[Placed] = []
    cursor = script.lead_in_s
    for at, line in enumerate(script.lines):
        if at:
            gap_s = script.gap_s if line.gap_s is None else line.gap_s
            cursor = placed[-1].end / sound.rate_hz + gap_s
        if cursor < 0:
            raise InputError("call.script", f"lines[{at}] would begin before the call.", "Enlarge its gap_s.")
        placed += _place_line(line, cursor, script, voices, sound)
        progress((at + 1) / len(script.lines))
    return placed


def _place_line(line: Line, start_s: float, script: Script, voices: Voices, sound: Sound) -> list[Placed]:
    usual = script.caller_speed if line.role == "caller" else script.agent_speed
    speed = usual if line.speed is None else line.speed
    placed: list[Placed] = []
    cursor = round(start_s * sound.rate_hz)
    for part in line.parts:
        if isinstance(part, str):
            one: Spoken = spoken(voices.of(line.role), part, speed, sound)
            placed.append(Placed(line.role, one, cursor, {}))
            cursor = placed[-1].end
        else:
            cursor += round(part * sound.rate_hz)
    return placed
