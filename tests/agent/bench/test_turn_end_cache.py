"""Answers are kept by content; a file that is cut short counts as absent."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agent.bench.turn_end_cache import AnswerCache, digest


def test_an_answer_is_made_once_and_a_broken_file_is_made_again(tmp_path: Path) -> None:
    cache, made = AnswerCache(tmp_path / "new"), list[int]()

    def make() -> list[float]:
        made.append(1)
        return [0.5]

    assert cache.get("k", make) == cache.get("k", make) == [0.5]
    assert len(made) == 1
    (tmp_path / "new" / "k.json").write_text("[0.")
    assert cache.get("k", make) == [0.5]
    assert len(made) == 2
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["k.json"]


def test_keys_follow_the_samples_and_the_words() -> None:
    one, other = np.zeros(8, dtype=np.float32), np.ones(8, dtype=np.float32)
    assert digest(one, "a") == digest(one.copy(), "a")
    assert len({digest(one, "a"), digest(other, "a"), digest(one, "b"), digest(one, "a", "")}) == 4
