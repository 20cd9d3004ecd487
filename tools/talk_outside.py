"""Runs `main.py talk` on the virtual sound card with a recorded caller, and measures it from outside.

``python -m tools.talk_outside CALL.call.json --out DIR [--echo DELAY_MS,GAIN_DB] [options of talk]``

The caller's channel is played into the microphone, both sinks are recorded, and V2V is taken from the two recordings:
from the labelled end of each turn, found in the microphone's recording by cross-correlation, to the first 10 ms
of the loudspeaker's at -45 dBFS or above. The talk's own report stands beside it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.calls.load import LoadedCall, load_call
from agent.calls.turns import LabelledTurn
from agent.talk.check import find_echo
from stages.audio.resample import resample
from stages.audio.write import write_wav
from stages.contract import RATE_HZ, Audio
from tools.virtual_sound import LOUDSPEAKER, MICROPHONE, Ear, VirtualSound, virtual_sound
from tools.virtual_sound import RATE_HZ as CARD_HZ

READY = "Speak when you like"
AUDIBLE_DBFS = -45.0
WINDOW_S = 0.01
SEARCH_S = 6.0
SAME_MS = 150.0
"""Ends of turns that lie closer than this are of one turn."""


@dataclass(frozen=True)
class Outside:
    """One turn as it was heard outside, and as the talk reported it; None where there was none."""

    turn: int
    outside_ms: float | None
    reported_ms: float | None


@dataclass(frozen=True)
class Heard:
    """What was recorded at the loudspeaker (48 kHz mono), and when each caller turn ended, on one clock.

    Each turn is looked for by itself: on a busy machine the player halts now and then, and all that follows is late.
    """

    agent: Audio
    agent_begin_s: float
    ends_s: tuple[float, ...]


def onsets(samples: Audio) -> NDArray[np.bool_]:
    """Which 10 ms windows are audible."""
    size = round(CARD_HZ * WINDOW_S)
    windows = samples[: len(samples) // size * size].reshape(-1, size)
    power = np.mean(np.square(windows, dtype=np.float64), axis=1)
    audible: NDArray[np.bool_] = power >= 10 ** (AUDIBLE_DBFS / 10)
    return audible


def first_audible_s(heard: Heard, after_s: float, before_s: float) -> float | None:
    """When the agent was first audible between two moments of the shared clock."""
    audible = onsets(heard.agent)
    first = max(0, int(np.ceil((after_s - heard.agent_begin_s) / WINDOW_S)))
    last = int((before_s - heard.agent_begin_s) / WINDOW_S)
    found = np.flatnonzero(audible[first:last])
    return heard.agent_begin_s + (first + int(found[0])) * WINDOW_S if len(found) else None


def play_and_talk(
    card: VirtualSound, call: LoadedCall, folder: Path, options: list[str]
) -> tuple[Heard, dict[str, object]]:
    """One talk with the call's caller on the microphone; what was heard outside, and the talk's report."""
    wav = folder / "caller.wav"
    write_wav(wav, call.caller, RATE_HZ)
    command = [sys.executable, "main.py", "talk", "--text", "--record", str(folder / "talk"), *options]
    with (folder / "talk.log").open("w") as log:
        talk = subprocess.Popen(command, env=card.env, stdout=log, stderr=log)
        try:
            _until_ready(talk, folder / "talk.log")
            ears: list[Ear] = [card.listen(MICROPHONE), card.listen(LOUDSPEAKER)]
            time.sleep(1.0)
            player = card.play(wav)
            player.wait(timeout=call.seconds + 30)
            time.sleep(4.0)
        finally:
            talk.terminate()
            talk.wait(timeout=60)
    microphone, agent = ears[0].close(), ears[1].close()
    write_wav(folder / "microphone.wav", microphone, CARD_HZ)
    write_wav(folder / "loudspeaker.wav", agent, CARD_HZ)
    at_16k = resample(microphone, CARD_HZ, RATE_HZ)
    ends, late_s = [], 1.0
    for turn in call.turns:
        found_s = _found_s(call.caller, turn, at_16k, late_s)
        late_s = found_s - turn.start_s
        ends.append(ears[0].begin_s + late_s + turn.end_s)
    heard = Heard(agent, ears[1].begin_s, tuple(ends))
    report: dict[str, object] = json.loads((folder / "talk" / "report.json").read_text())
    return heard, report


def _found_s(caller: Audio, turn: LabelledTurn, microphone: Audio, late_s: float) -> float:
    """Where the turn begins in the microphone's recording: about ``late_s`` after its place, or somewhat later."""
    last = turn.segments[-1]  # pauses inside a turn may have been stretched too
    piece = caller[round(last.start_s * RATE_HZ) : round(last.end_s * RATE_HZ)]
    from_s = max(0.0, last.start_s + late_s - SEARCH_S / 4)
    window = microphone[round(from_s * RATE_HZ) : round((from_s + SEARCH_S + last.seconds) * RATE_HZ)]
    found = find_echo(piece, window, RATE_HZ)
    if not found.found:
        raise RuntimeError(f"turn {turn.index} is not in the microphone's recording")
    return from_s + found.delay_ms / 1000.0 - (last.start_s - turn.start_s)


def _until_ready(talk: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120.0
    while READY not in log.read_text():
        if talk.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"talk did not begin:\n{log.read_text()}")
        time.sleep(0.1)


def compare(call: LoadedCall, heard: Heard, report: dict[str, object]) -> list[Outside]:
    """Each labelled turn from outside, with the report's turn that ends at the same place."""
    rows: list[dict[str, object]] = report["turns"]  # type: ignore[assignment]
    lengths = [turn.end_s - turn.start_s for turn in call.turns[1:]] + [-4.0]
    nexts = [*heard.ends_s[1:], heard.ends_s[-1]]
    offset = _offset_ms(heard, rows)
    compared = []
    for turn, end_s, next_end_s, length_s in zip(call.turns, heard.ends_s, nexts, lengths, strict=True):
        first = first_audible_s(heard, end_s, next_end_s - length_s)
        outside = None if first is None else (first - end_s) * 1000.0
        ours = [row for row in rows if abs(_end_ms(row) - offset - end_s * 1000.0) < SAME_MS]
        onset = ours[0]["onset_ms"] if ours else None
        compared.append(Outside(turn.index, outside, onset if isinstance(onset, int) else None))
    return compared


def _end_ms(row: dict[str, object]) -> float:
    marks: dict[str, float] = row["marks"]  # type: ignore[assignment]
    return marks.get("speech_end", -1e9)


def _offset_ms(heard: Heard, rows: list[dict[str, object]]) -> float:
    """Where the shared clock begins on the report's time line: the shift under which most ends agree."""
    ends = [_end_ms(row) for row in rows]
    shifts = [end - true_s * 1000.0 for end in ends for true_s in heard.ends_s]
    return max(
        shifts,
        key=lambda shift: sum(
            any(abs(end - shift - true_s * 1000.0) < SAME_MS for end in ends) for true_s in heard.ends_s
        ),
        default=0.0,
    )


def main() -> int:
    """Measure one call and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("call", type=Path)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--echo", default=None, metavar="MS,DB")
    args, options = parser.parse_known_args()
    call = load_call(args.call)
    folder = args.out or Path(tempfile.mkdtemp(prefix="talk-outside-"))
    folder.mkdir(parents=True, exist_ok=True)
    with virtual_sound() as card:
        if args.echo:
            delay_ms, gain_db = map(float, args.echo.split(","))
            card.echo(delay_ms, gain_db)
        heard, report = play_and_talk(card, call, folder, options)
    turns = compare(call, heard, report)
    both = [one for one in turns if one.outside_ms is not None and one.reported_ms is not None]
    apart = [float(one.outside_ms or 0.0) - float(one.reported_ms or 0.0) for one in both]
    summary: dict[str, object] = {"turns": [asdict(one) for one in turns], "folder": str(folder)}
    if both:
        summary["outside_p50_ms"] = statistics.median(float(one.outside_ms or 0.0) for one in both)
        summary["apart_ms"] = {
            "median": statistics.median(apart),
            "largest": max(apart, key=abs),
            "n": len(apart),
        }
    sys.stdout.write(json.dumps(summary, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
