"""Made calls: times to the sample, labels that are exact, the same file each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.calls.load import load_call
from agent.calls.make import Voices, default_voices, make_call
from agent.calls.model import read_call
from agent.calls.script import Script, read_script
from agent.calls.voices import Unpaced
from stages.audio.level import active_dbfs, dbfs, utterance_span
from stages.errors import InputError

from .conftest import RATE, ToneVoice

DEMO = Path(__file__).resolve().parents[3] / "configs" / "calls" / "demo.yaml"
TONES = Voices(ToneVoice(), ToneVoice())
LINES: list[dict[str, Any]] = [
    {"agent": "aaaaa"},
    {"caller": ["bbbb", 0.75, "cc", 1.25, "ddd"], "gap_s": 0.5},
    {"agent": "eeeee"},
    {"caller": "ff", "gap_s": -0.2},
]


def script(tmp_path: Path, **keys: Any) -> Path:
    path = tmp_path / "s.yaml"
    base = {"name": "s", "lead_in_s": 1.0, "tail_s": 2.0, "gap_s": 1.0, "lines": LINES}
    path.write_text(yaml.safe_dump(base | keys))
    return path


def test_every_line_and_pause_is_where_the_script_says(tmp_path: Path) -> None:
    call = make_call(script(tmp_path), tmp_path / "out" / "s.wav", TONES)
    assert [(one.role, one.start_s, one.end_s, one.text) for one in call.turns] == [
        ("agent", 1.0, 1.5, "aaaaa"),
        ("caller", 2.0, 2.4, "bbbb"),
        ("caller", 3.15, 3.35, "cc"),
        ("caller", 4.6, 4.9, "ddd"),
        ("agent", 5.9, 6.4, "eeeee"),
        ("caller", 6.2, 6.4, "ff"),
    ]
    assert (call.seconds, call.synthetic, call.exact) == (8.4, True, True)
    assert sorted(item.name for item in (tmp_path / "out").iterdir()) == ["s.call.json", "s.wav"]


def test_the_file_is_the_call(tmp_path: Path) -> None:
    call = make_call(script(tmp_path), tmp_path / "s", TONES)
    assert read_call(tmp_path / "s.call.json") == call
    document = json.loads((tmp_path / "s.call.json").read_text())
    assert (document["schema"], document["synthetic"]) == (1, True)
    loaded = load_call(tmp_path / "s.call.json")
    assert loaded.speech_end_source == "labels"
    assert [[hold.seconds for hold in turn.holds] for turn in loaded.turns] == [
        pytest.approx([0.75, 1.25]),
        [],
    ]
    for one in call.turns:
        track = loaded.caller if one.role == "caller" else loaded.agent
        assert track is not None
        start, end = round(one.start_s * RATE), round(one.end_s * RATE)
        around = track[start - 1_600 : end + 1_600]
        found = utterance_span(around, RATE)
        assert found is not None
        assert abs(found[0] - 1_600) <= 160
        assert abs(found[1] - (end - start + 1_600)) <= 160


@pytest.mark.parametrize("out", ["s", "s.wav", "s.call.json"])
def test_out_names_the_call_in_three_ways(tmp_path: Path, out: str) -> None:
    make_call(script(tmp_path), tmp_path / "o" / out, TONES)
    assert {item.name for item in (tmp_path / "o").iterdir()} == {"s.wav", "s.call.json"}


@pytest.mark.parametrize("kind", ["white", "hum", "file"])
def test_noise_lies_under_the_caller_only_and_as_low_as_asked(tmp_path: Path, kind: str) -> None:
    sf.write(tmp_path / "noise.wav", np.random.default_rng(1).uniform(-0.1, 0.1, 5_000), 8_000)
    noise = {"kind": kind, "snr_db": 15} | ({"file": "noise.wav"} if kind == "file" else {})
    make_call(script(tmp_path, noise=noise), tmp_path / "s", TONES)
    make_call(script(tmp_path), tmp_path / "clean", TONES)
    noisy, clean = load_call(tmp_path / "s.call.json"), load_call(tmp_path / "clean.call.json")
    under = dbfs(noisy.caller[:RATE] - clean.caller[:RATE])
    assert active_dbfs(clean.caller, RATE) - under == pytest.approx(15, abs=0.4)
    np.testing.assert_array_equal(noisy.agent, clean.agent)
    assert noisy.turns == clean.turns


def test_the_telephone_is_eight_kilohertz_and_mulaw(tmp_path: Path) -> None:
    make_call(script(tmp_path, band="telephone", codec="mulaw"), tmp_path / "s", TONES)
    info = sf.info(tmp_path / "s.wav")
    assert (info.samplerate, info.channels, info.subtype) == (8_000, 2, "ULAW")


def test_the_same_script_and_seed_give_the_same_file(tmp_path: Path) -> None:
    path = script(
        tmp_path, noise={"kind": "white"}, lines=[{"caller": "Good morning."}, {"agent": "Hello there."}]
    )
    for name in ("one", "two"):
        make_call(path, tmp_path / name, default_voices(1))
    assert (tmp_path / "one.wav").read_bytes() == (tmp_path / "two.wav").read_bytes()
    make_call(path, tmp_path / "three", default_voices(2))
    assert (tmp_path / "one.wav").read_bytes() != (tmp_path / "three.wav").read_bytes()


@given(
    gaps=st.lists(st.floats(0.0, 5.0), min_size=1, max_size=5),
    holds=st.lists(st.floats(0.05, 3.0), max_size=3),
)
@settings(max_examples=15, deadline=None)
def test_gaps_and_holds_are_exact_to_the_sample(
    tmp_path_factory: pytest.TempPathFactory, gaps: list[float], holds: list[float]
) -> None:
    folder = tmp_path_factory.mktemp("m")
    parts: list[Any] = ["aa"]
    for hold in holds:
        parts += [hold, "bb"]
    lines = [{"agent": "cc"}, *({"caller": parts, "gap_s": gap} for gap in gaps)]
    call = make_call(script(folder, lines=lines), folder / "s", TONES)
    wanted = [item for gap in gaps for item in (gap, *holds)]
    got = [two.start_s - one.end_s for one, two in zip(call.turns, call.turns[1:], strict=False)]
    assert got == pytest.approx(wanted, abs=1.1 / RATE)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"lines": []}, "`lines`: tuple should have at least 1 item"),
        ({"lines": [{"caller": "a", "agent": "b"}]}, "`lines[0]`: a line is either `caller` or `agent`."),
        ({"lines": [{"caller": ["a", "b"]}]}, "`lines[0].caller`: a line with pauses is text, seconds, text"),
        (
            {"lines": [{"caller": ["a", 0.5]}]},
            "`lines[0].caller`: a line with pauses begins and ends with text.",
        ),
        ({"lines": [{"caller": ["a", 99.0, "b"]}]}, "`lines[0].caller`: a pause lasts 0.05 to 30 s."),
        ({"lines": [{"caller": " "}]}, "`lines[0].caller` is ' ': a text is empty."),
        ({"lines": [{"caler": "a"}]}, "unknown key `lines[0].caler`. Did you mean `caller`?"),
        ({"noise": {"kind": "file"}}, "`noise`: `file` belongs to kind `file`, and only to it."),
        (
            {"noise": {"kind": "pink"}},
            "`noise.kind` is 'pink': input should be 'none', 'white', 'hum' or 'file'.",
        ),
        ({"band": "narrow"}, "`band` is 'narrow': input should be 'wideband' or 'telephone'."),
        ({"name": "a/b"}, "`name` is 'a/b': string should match pattern"),
        ({"seed": -1}, "`seed` is -1: input should be greater than or equal to 0."),
    ],
)
def test_a_wrong_script_is_answered_in_one_line(tmp_path: Path, keys: dict[str, Any], words: str) -> None:
    path = script(tmp_path, **keys)
    with pytest.raises(InputError) as caught:
        make_call(path, tmp_path / "out" / "s", TONES)
    assert str(caught.value).startswith(f"{path}: {words}")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_broken_yaml_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("name: s\nlines: [}\n")
    with pytest.raises(InputError, match=r"s\.yaml:2 is not valid YAML"):
        read_script(path)


def test_a_line_that_would_begin_before_the_call(tmp_path: Path) -> None:
    path = script(tmp_path, lines=[{"agent": "a"}, {"caller": "b", "gap_s": -5}])
    with pytest.raises(InputError, match="would begin before the call"):
        make_call(path, tmp_path / "s", TONES)


def test_a_party_cannot_overlap_itself(tmp_path: Path) -> None:
    path = script(tmp_path, lines=[{"caller": "aaaaaaaaaa"}, {"caller": "b", "gap_s": -0.5}])
    with pytest.raises(InputError, match="overlaps turns"):
        make_call(path, tmp_path / "s", TONES)


def test_a_text_that_makes_no_sound(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"The voice says nothing for '12'"):
        make_call(script(tmp_path, lines=[{"caller": "12"}]), tmp_path / "s", TONES)


def test_a_noise_file_that_is_not_there(tmp_path: Path) -> None:
    path = script(tmp_path, noise={"kind": "file", "file": "gone.ogg"})
    with pytest.raises(InputError, match=r"gone\.ogg does not exist"):
        make_call(path, tmp_path / "s", TONES)


def test_a_stage_s_voice_can_speak_for_the_agent(tmp_path: Path) -> None:
    voice = Unpaced(ToneVoice(), "piper")
    call = make_call(script(tmp_path, agent_speed=2.0), tmp_path / "s", Voices(ToneVoice(), voice))
    assert call.made["agent_voice"] == "piper"
    assert call.turns[0].seconds == 0.5


def test_the_demo_s_script_is_complete_and_says_what_the_bank_knows() -> None:
    text = DEMO.read_text(encoding="utf-8")
    given_keys = set(yaml.safe_load(text))
    assert given_keys == set(Script.model_fields)
    found = read_script(DEMO)
    holds = [part for line in found.lines for part in line.parts if not isinstance(part, str)]
    callers = [line for line in found.lines if line.role == "caller"]
    assert 8 <= len(callers) <= 10
    assert 2 <= len(holds) <= 3
    assert all(0.5 <= hold <= 1.2 for hold in holds)
    persona = yaml.safe_load((DEMO.parents[1] / "personas" / "bank.yaml").read_text(encoding="utf-8"))
    facts = " ".join(persona["facts"])
    for fact in (
        "ten to two on Saturdays",
        "photo identification",
        "12 Market Street",
        "555 0142",
        "five working days",
    ):
        assert fact in facts
    assert all(fact in facts for fact in ("2,000 dollars a day", "4 dollars a month", "500 dollars or more"))


def test_the_demo_call_lasts_between_60_and_90_seconds(tmp_path: Path) -> None:
    call = make_call(DEMO, tmp_path / "demo", default_voices(read_script(DEMO).seed))
    assert call.seconds is not None
    assert 60 <= call.seconds <= 90
    loaded = load_call(tmp_path / "demo.call.json")
    assert len(loaded.turns) == 9
    assert all(turn.shift_s is not None and turn.shift_s >= 0.89 for turn in loaded.turns)
