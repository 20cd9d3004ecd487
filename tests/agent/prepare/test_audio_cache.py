"""Spoken phrases on disk."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from agent.prepare.audio_cache import SUFFIX, AudioCache

TONE = (0.2 * np.sin(np.arange(4000) / 10.0)).astype(np.float32)
FILE_BYTES = 16_200
"""A little more than one file takes: 4,000 samples and its head."""


def cache(folder: Path, voice: str = "joe v1", max_bytes: int = 1 << 20) -> AudioCache:
    return AudioCache(folder, voice, max_bytes)


def only(folder: Path) -> Path:
    (path,) = folder.glob(f"*{SUFFIX}")
    return path


def test_what_was_put_is_got_by_the_next_run(tmp_path: Path) -> None:
    assert cache(tmp_path).put("Hello.", 22_050, TONE)
    found = cache(tmp_path).get("Hello.", 22_050)
    assert found is not None
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, TONE)


def test_another_text_voice_setting_or_rate_is_another_phrase(tmp_path: Path) -> None:
    cache(tmp_path).put("Hello.", 22_050, TONE)
    assert cache(tmp_path).get("Hello!", 22_050) is None
    assert cache(tmp_path, "joe v2").get("Hello.", 22_050) is None
    assert cache(tmp_path).get("Hello.", 16_000) is None


@pytest.mark.parametrize("at", [0, 20, 60, -1])
def test_a_file_with_one_wrong_bit_is_thrown_away(tmp_path: Path, at: int) -> None:
    cache(tmp_path).put("Hello.", 22_050, TONE)
    data = bytearray(only(tmp_path).read_bytes())
    data[at] ^= 1
    only(tmp_path).write_bytes(bytes(data))
    store = cache(tmp_path)
    assert store.get("Hello.", 22_050) is None
    assert store.bad == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("left", [0, 10, 50, 100, 5000])
def test_a_file_that_is_cut_off_is_thrown_away(tmp_path: Path, left: int) -> None:
    cache(tmp_path).put("Hello.", 22_050, TONE)
    only(tmp_path).write_bytes(only(tmp_path).read_bytes()[:left])
    assert cache(tmp_path).get("Hello.", 22_050) is None


def test_a_whole_file_of_another_phrase_is_not_taken(tmp_path: Path) -> None:
    cache(tmp_path).put("Hello.", 22_050, TONE)
    data = only(tmp_path).read_bytes()
    only(tmp_path).unlink()
    cache(tmp_path).put("Goodbye.", 22_050, -TONE)
    only(tmp_path).write_bytes(data)
    assert cache(tmp_path).get("Goodbye.", 22_050) is None


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    store = cache(tmp_path, max_bytes=2 * FILE_BYTES)
    for age, text in ((30, "one"), (20, "two")):
        store.put(text, 22_050, TONE)
        newest = max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (1e9 - age, 1e9 - age))
    assert store.get("one", 22_050) is not None  # used again
    store.put("three", 22_050, TONE)
    assert store.get("two", 22_050) is None
    assert store.get("one", 22_050) is not None
    assert store.get("three", 22_050) is not None


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = cache(tmp_path / "file")
    assert store.put("Hello.", 22_050, TONE) is False
    assert store.get("Hello.", 22_050) is None
    assert store.bad == 0


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    store = cache(tmp_path)
    store.put("Hello.", 22_050, TONE)
    store.put("Hello.", 22_050, TONE)
    assert [path.suffix for path in tmp_path.iterdir()] == [SUFFIX]
