"""Spoken phrases on disk: one file a phrase, written whole or not at all, and believed only after checking."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from contextlib import suppress
from pathlib import Path

import numpy as np

from stages.contract import Audio

MAGIC = b"BUDGIE-PHRASE-1\n"
SUFFIX = ".phrase"
_LENGTH = struct.Struct("<I")
_DIGEST = 32


class AudioCache:
    """Audio by the voice that speaks it, its settings and the text. Keeps within ``max_bytes``.

    A folder that cannot be read or written is no error: nothing is found in it.
    """

    def __init__(self, folder: Path, voice: str, max_bytes: int) -> None:
        """``voice`` names everything that the sound depends on: the voice file's hash and the settings."""
        self._folder, self._voice, self._max_bytes = folder, voice, max_bytes
        self.bad = 0
        """Files that did not hold what they should. They were thrown away."""

    def get(self, text: str, rate_hz: int) -> Audio | None:
        """The audio of ``text``, or None where there is none that can be believed."""
        path = self._path(text)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        audio = _decode(data, self._head(text, rate_hz))
        if audio is None:
            self.bad += 1
            path.unlink(missing_ok=True)
            return None
        with suppress(OSError):
            os.utime(path)  # used now: among the last to go
        return audio

    def put(self, text: str, rate_hz: int, audio: Audio) -> bool:
        """Keep ``audio``; False where the disk will not take it."""
        path = self._path(text)
        temp = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            temp.write_bytes(_encode(audio, self._head(text, rate_hz)))
            temp.replace(path)
        except OSError:
            with suppress(OSError):
                temp.unlink()
            return False
        self._shrink()
        return True

    def _head(self, text: str, rate_hz: int) -> bytes:
        return json.dumps([self._voice, text, rate_hz], ensure_ascii=False).encode()

    def _path(self, text: str) -> Path:
        name = hashlib.sha256(json.dumps([self._voice, text]).encode()).hexdigest()
        return self._folder / f"{name}{SUFFIX}"

    def _shrink(self) -> None:
        """Throw away what was used longest ago until the rest fits."""
        found = []
        for path in self._folder.glob(f"*{SUFFIX}"):
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append((stat.st_mtime_ns, stat.st_size, path))
        left = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if left <= self._max_bytes:
                return
            path.unlink(missing_ok=True)
            left -= size


def _encode(audio: Audio, head: bytes) -> bytes:
    body = _LENGTH.pack(len(head)) + head + np.ascontiguousarray(audio, dtype="<f4").tobytes()
    return MAGIC + hashlib.sha256(body).digest() + body


def _decode(data: bytes, head: bytes) -> Audio | None:
    """The audio, if the file is whole and says that it is what was asked for."""
    begin = len(MAGIC) + _DIGEST
    if data[: len(MAGIC)] != MAGIC or len(data) < begin + _LENGTH.size:
        return None
    body = data[begin:]
    if hashlib.sha256(body).digest() != data[len(MAGIC) : begin]:
        return None
    (size,) = _LENGTH.unpack_from(body)
    samples = body[_LENGTH.size + size :]
    if body[_LENGTH.size : _LENGTH.size + size] != head or len(samples) % 4:
        return None
    return np.frombuffer(samples, dtype="<f4").astype(np.float32)
