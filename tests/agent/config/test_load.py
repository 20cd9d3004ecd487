"""What a loaded configuration holds, where it came from, and its hash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agent.config.endpoint import EndpointConfig, HoldPoint
from agent.config.load import CONFIGS, DEFAULT_FILE, load
from agent.config.model import Config, thread_caps
from agent.config.parts import ComputeConfig, PathsConfig, ReplayConfig
from agent.config.staged import RecognitionConfig, ReplySeatConfig, SpeechConfig
from agent.config.strict import check
from agent.config.template import render
from agent.config.yaml_file import read_document
from latency_budget.config import BudgetConfig

MANY_CORES = 64


def test_the_shipped_file_is_the_default_written_out_with_every_key_commented() -> None:
    """After a change to a model: ``main.py config show --defaults > configs/default.yaml``."""
    assert DEFAULT_FILE.read_text(encoding="utf-8") == render(Config())
    assert load(cores=MANY_CORES).config == Config()


def test_every_key_of_the_shipped_file_has_its_comment() -> None:
    lines = DEFAULT_FILE.read_text(encoding="utf-8").splitlines()
    keys = [n for n, line in enumerate(lines) if ":" in line and line.strip()[:1] not in ("#", "-")]
    assert len(keys) > 40
    assert [lines[n] for n in keys if not lines[n - 1].strip().startswith("#")] == []


# models.yaml is the models' manifest: no configuration, with a loader of its own.
SHIPPED = [file for file in sorted(CONFIGS.glob("*.yaml")) if file.name != "models.yaml"]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_every_shipped_configuration_loads(file: Path) -> None:
    assert load(file).path == file


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("# nothing yet\n")
    loaded = load(file, cores=MANY_CORES)
    assert loaded.config == Config()
    assert loaded.sha256() == load(cores=MANY_CORES).sha256()


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("endpoint:\n  timeout_ms: 900\n")
    loaded = load(file, cores=MANY_CORES)
    assert loaded.config.endpoint == EndpointConfig(timeout_ms=900.0)
    assert loaded.source(("endpoint", "timeout_ms")) == f"{file}:2"
    assert loaded.source(("endpoint", "open_ms")) is None


def test_an_override_wins_and_keeps_its_neighbours(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("compute:\n  nice: 3\n")
    loaded = load(file, ["compute.nice=4", "seats.fast.max_tokens=20", "seats.slow.temperature=0.7"])
    assert loaded.config.compute.nice == 4
    assert loaded.config.seats["fast"] == ReplySeatConfig(max_tokens=20)
    assert loaded.config.seats["slow"] == ReplySeatConfig(temperature=0.7)
    assert loaded.source(("compute", "nice")) == "--set compute.nice"


def test_the_hash_depends_on_values_and_not_on_how_they_were_written(tmp_path: Path) -> None:
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text("compute: {nice: 3}\nbudget: {budget_ms: 400}\n")
    other.write_text("# the same\nbudget:\n  budget_ms: 400.0\ncompute:\n  nice: 3\n")
    assert load(one).sha256() == load(other).sha256()
    assert load(one).sha256() != load(one, ["compute.nice=4"]).sha256()


def test_a_persona_is_found_beside_the_file_and_by_an_override_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (CONFIGS / "personas" / "bank.yaml").read_text(encoding="utf-8")
    for folder in ("beside", "here"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.yaml").write_text(text, encoding="utf-8")
    file = tmp_path / "beside" / "my.yaml"
    file.write_text("persona: p.yaml\n")
    monkeypatch.chdir(tmp_path / "here")
    assert load(file).persona_path == tmp_path / "beside" / "p.yaml"
    assert load(file, ["persona=p.yaml"]).persona_path == Path("p.yaml")


def test_the_hash_depends_on_what_the_persona_says(tmp_path: Path) -> None:
    text = (CONFIGS / "personas" / "bank.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    file = tmp_path / "my.yaml"
    file.write_text("persona: mine.yaml\n")
    same = load(file).sha256()
    assert same == load().sha256()
    (tmp_path / "mine.yaml").write_text(
        text.replace("12 Market Street", "14 Market Street"), encoding="utf-8"
    )
    assert load(file).sha256() != same


def test_caps_are_lowered_to_the_cores_of_the_machine_and_said_so() -> None:
    loaded = load(None, ["asr.threads=8", "seats.fast.threads=2"], cores=1)
    assert set(thread_caps(loaded.config).values()) == {1}
    assert loaded.notes == (
        "asr.threads: lowered from 8 to 1, the cores here.",
        "seats.fast.threads: lowered from 2 to 1, the cores here.",
    )


def test_every_threads_key_is_among_the_caps() -> None:
    def walk(data: Any, path: str) -> set[str]:
        found = {f"{path}threads"} if "threads" in data else set()
        return found.union(*(walk(v, f"{path}{k}.") for k, v in data.items() if isinstance(v, dict)))

    config = Config(seats={"a": ReplySeatConfig(), "b": ReplySeatConfig()})
    assert set(thread_caps(config)) == walk(config.model_dump(), "")


def test_the_configuration_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Config().endpoint.timeout_ms = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("probability", "silence_ms"),
    [(None, 900.0), (0.0, 900.0), (0.49, 900.0), (0.5, 300.0), (0.89, 300.0), (0.9, 64.0), (1.0, 64.0)],
)
def test_the_surer_the_model_the_shorter_the_silence(probability: float | None, silence_ms: float) -> None:
    points = (HoldPoint(probability=0.9, silence_ms=64.0), HoldPoint(probability=0.5, silence_ms=300.0))
    assert EndpointConfig(points=points, timeout_ms=900.0).sound_hold_ms(probability) == silence_ms


def _points(draws: list[tuple[float, float]]) -> tuple[HoldPoint, ...]:
    falling = sorted({p for p, _ in draws}, reverse=True)
    rising = sorted(s for _, s in draws)
    return tuple(HoldPoint(probability=p, silence_ms=s) for p, s in zip(falling, rising, strict=False))


NAMES = st.text("abcdefghijklmnopqrstuvwxyz_0123456789", max_size=8).map("s".__add__)
TEXTS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20)
THREADS = st.integers(1, 64)
CONFIGURATIONS = st.builds(
    Config,
    persona=TEXTS,
    budget=st.builds(
        BudgetConfig, budget_ms=st.floats(50, 10_000), content_budget_ms=st.none() | st.floats(50, 10_000)
    ),
    compute=st.builds(ComputeConfig, cores=st.just("auto") | st.integers(1, 1024), nice=st.integers(0, 19)),
    endpoint=st.builds(
        EndpointConfig,
        points=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 200)), max_size=4).map(_points),
        timeout_ms=st.floats(200, 10_000),
    ),
    asr=st.builds(RecognitionConfig, model=TEXTS, threads=THREADS, margin_s=st.floats(0, 10)),
    seats=st.dictionaries(
        NAMES,
        st.builds(ReplySeatConfig, model=TEXTS, threads=THREADS, temperature=st.floats(0, 2)),
        min_size=1,
        max_size=3,
    ),
    tts=st.builds(SpeechConfig, voice=TEXTS, threads=THREADS),
    replay=st.builds(ReplayConfig, frame_ms=st.integers(10, 100), max_gap_s=st.floats(1, 3600)),
    paths=st.builds(PathsConfig, models=st.none() | TEXTS.filter(lambda t: t != ".").map(Path)),
)


@settings(max_examples=25, deadline=None)
@given(config=CONFIGURATIONS)
def test_any_configuration_written_out_loads_as_itself(
    config: Config, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("config") / "written.yaml"
    file.write_text(render(config), encoding="utf-8")
    document = read_document(file)
    assert check(document, Config) == config
    assert render(check(document, Config)) == render(config)
    assert yaml.safe_load(render(config)) == document.data
