"""What a WAV file's own header says, checked against what the file holds.

libsndfile reads on over a cut-off or lying header and returns what it finds; here that is an error, since a
call that ends early, or at the wrong speed, would be measured as if it were right.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from stages.errors import InputError

_UNKNOWN = 0xFFFFFFFF
"""A writer that could not seek back (a pipe) leaves this as the length: read to the end of the file."""

_FORMAT_BYTES = 40
"""The longest format chunk that is used."""

_PLAIN_BITS = {1: (8, 16, 24, 32), 3: (32, 64), 6: (8,), 7: (8,)}
"""Bits a sample of PCM, float, A-law and mu-law. Other codecs have no fixed size a sample."""


def check_wav(path: Path) -> None:
    """Raise InputError if ``path`` is a WAV whose header promises what the file does not hold.

    Files that are no RIFF or RF64 WAV pass: their own decoder judges them.
    """
    with path.open("rb") as file:
        head = file.read(12)
        if len(head) < 12 or head[:4] not in (b"RIFF", b"RF64") or head[8:] != b"WAVE":
            return
        size = path.stat().st_size
        block_bytes = 0
        while True:
            chunk = file.read(8)
            if len(chunk) < 8:
                raise _cut_off(path, "its header ends before any audio")
            name, length = chunk[:4], struct.unpack("<I", chunk[4:])[0]
            if name == b"data":
                promised = length
                break
            body = file.read(min(length, _FORMAT_BYTES)) if name == b"fmt " else b""
            if file.seek(length + length % 2 - len(body), 1) > size:
                raise _cut_off(path, "its header ends before any audio")
            if name == b"fmt ":
                block_bytes = _check_format(path, body)
        _check_length(path, file, size, promised, block_bytes)


def _cut_off(path: Path, why: str) -> InputError:
    return InputError("audio.truncated", f"{path} is cut off: {why}.", "Copy or record it again.")


def _check_length(path: Path, file: BinaryIO, size: int, promised: int, block_bytes: int) -> None:
    held = size - file.tell()
    if promised == _UNKNOWN:
        return
    if promised > held:
        raise _cut_off(path, f"its header promises {promised} bytes of audio, the file holds {held}")
    if promised == 0 and held > block_bytes > 0:
        raise InputError(
            "audio.header",
            f"{path}: its header says that it holds no audio, but {held} bytes follow.",
            f"The recorder did not finish the file; mend it with: ffmpeg -i {path.name} fixed.wav",
        )

    file.seek(promised + promised % 2, 1)
    after = file.read(4)
    if held - promised > promised / 20 and not all(32 <= byte < 127 for byte in after):  # no chunk's name
        raise InputError(
            "audio.header",
            f"{path}: its header promises {promised} bytes of audio, but {held - promised} more bytes follow.",
            f"Mend it with: ffmpeg -ignore_length 1 -i {path.name} fixed.wav",
        )


def _check_format(path: Path, body: bytes) -> int:
    """Bytes of one sample of all channels. Raises InputError where the fields contradict each other."""
    if len(body) < 16:
        raise InputError(
            "audio.header", f"{path}: its WAV header is too short to be true.", "Record it again."
        )
    codec, channels, rate_hz, byte_rate, block, bits = struct.unpack("<HHIIHH", body[:16])
    if codec == 0xFFFE and len(body) >= 26:  # WAVE_FORMAT_EXTENSIBLE: the codec opens the sub-format
        codec = struct.unpack("<H", body[24:26])[0]
    if codec not in _PLAIN_BITS:
        return int(block)
    if bits not in _PLAIN_BITS[codec] or block != channels * bits // 8 or byte_rate != rate_hz * block:
        raise InputError(
            "audio.header",
            f"{path}: its WAV header contradicts itself ({channels} channels of {bits} bits at {rate_hz} Hz "
            f"cannot be {block} bytes a sample and {byte_rate} bytes a second).",
            "Export it again with a program that writes a right header.",
        )
    return int(block)
