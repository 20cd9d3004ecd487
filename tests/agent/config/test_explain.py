"""``explain`` answers for every key there is, and points at the nearest for one that is not."""

from __future__ import annotations

import pytest

from agent.config import words
from agent.config.explain import USED_BY, Explanation, explain
from agent.config.load import Loaded, load
from agent.config.model import Config
from agent.config.yaml_file import dotted
from agent.errors import AgentError

SCHEMA = Config.model_json_schema()
LEAVES = [dotted(path).replace("NAME", "fast") for path, _ in words.leaves(SCHEMA)]


def test_one_key_in_full() -> None:
    loaded = load(None, ["compute.nice=7"])
    assert explain("compute.nice", loaded) == Explanation(
        key="compute.nice",
        description="how far model threads stand behind playback (Linux)",
        takes="a whole number from 0 to 19",
        default=5,
        value=7,
        source="--set compute.nice",
        used_by="agent/compute.py, the owner of the cores",
    )


@pytest.fixture(scope="module")
def defaults() -> Loaded:
    return load(cores=64)


@pytest.mark.parametrize("key", LEAVES)
def test_every_key_is_described_with_what_it_takes(key: str, defaults: Loaded) -> None:
    told = explain(key, defaults)
    assert told.description
    assert told.takes
    assert told.value == told.default
    assert told.source is not None
    assert told.source.startswith(str(defaults.path))


def test_every_section_names_its_reader() -> None:
    assert set(USED_BY) == set(Config.model_fields)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("endpoint.timeot_ms", "Did you mean endpoint.timeout_ms?"),
        (
            "threads",
            "Did you mean endpoint.smart_turn.threads, endpoint.text_end.threads, asr.threads, "
            "seats.NAME.threads, tts.threads?",
        ),
        ("", "`main.py config show` lists every key."),
        ("zzzz", "`main.py config show` lists every key."),
    ],
)
def test_an_unknown_key_is_answered_with_the_nearest(key: str, hint: str, defaults: Loaded) -> None:
    with pytest.raises(AgentError) as caught:
        explain(key, defaults)
    assert caught.value.hint == hint
    assert caught.value.exit_code == 2
