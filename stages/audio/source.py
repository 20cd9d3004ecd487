"""Hands out the samples of an audio file in blocks: soundfile first, PyAV for what it does not know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stages.audio.riff import check_wav
from stages.errors import EnvironmentFault, InputError

if TYPE_CHECKING:
    import soundfile as sf

BLOCK_FRAMES = 65_536

Block = NDArray[np.float32]
"""Shape ``(frames, channels)``, float32."""


@dataclass(frozen=True, slots=True)
class Source:
    """An open file. ``frames`` is what its header promises, None where it does not say."""

    rate_hz: int
    channels: int
    frames: int | None
    blocks: Iterator[Block]


@contextmanager
def open_source(path: Path, start_s: float = 0.0) -> Iterator[Source]:
    """Open ``path`` at ``start_s``. Raises InputError if it is missing, empty, damaged or no audio."""
    _check_file(path)
    import soundfile as sf

    check_wav(path)
    try:
        file = sf.SoundFile(path)
    except sf.LibsndfileError:
        with _open_av(path, start_s) as source:
            yield source
        return
    with file:
        frames = file.frames
        at = min(round(start_s * file.samplerate), frames)
        if at:
            file.seek(at)
        yield Source(file.samplerate, file.channels, frames, _soundfile_blocks(path, file, frames - at))


def _check_file(path: Path) -> None:
    if not path.exists():
        raise InputError("audio.missing", f"{path} does not exist.", "Check the path.")
    if path.is_dir():
        raise InputError("audio.directory", f"{path} is a directory.", "Name one audio file in it.")
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise InputError("audio.unreadable", f"{path} cannot be read: {error.strerror}.") from error
    if empty:
        raise InputError("audio.empty", f"{path} is empty (0 bytes).", "Record or copy it again.")


def _soundfile_blocks(path: Path, file: sf.SoundFile, expected: int) -> Iterator[Block]:
    import soundfile as sf

    got = 0
    try:
        while True:
            block = file.read(BLOCK_FRAMES, dtype="float32", always_2d=True)
            if not len(block):
                break
            got += len(block)
            yield block
    except sf.LibsndfileError as error:
        raise damaged(path, str(error)) from error
    if got < expected * 0.98:
        seconds = (got / file.samplerate, expected / file.samplerate)
        raise truncated(path, *seconds)


@contextmanager
def _open_av(path: Path, start_s: float) -> Iterator[Source]:
    try:
        import av
    except ImportError as error:
        raise EnvironmentFault(
            "audio.av", f"{path} needs PyAV to be read.", "Install it: pip install av"
        ) from error
    try:
        container = av.open(str(path))
    except (av.FFmpegError, ValueError) as error:
        raise not_audio(path) from error
    with container:
        if not container.streams.audio:
            raise not_audio(path)
        stream = container.streams.audio[0]
        rate_hz, channels = stream.codec_context.sample_rate, stream.codec_context.channels
        if not rate_hz or not channels:
            raise not_audio(path)
        seconds = container.duration / 1e6 if container.duration else None
        frames = None if seconds is None else round(seconds * rate_hz)
        blocks = _av_blocks(path, container, stream, seconds)
        yield Source(rate_hz, channels, frames, _skip(blocks, round(start_s * rate_hz)))


def _av_blocks(path: Path, container: Any, stream: Any, seconds: float | None) -> Iterator[Block]:
    import av

    planar = av.AudioResampler(format="fltp")
    got = 0
    try:
        for frame in container.decode(stream):
            for part in planar.resample(frame):
                got += part.samples
                yield np.ascontiguousarray(part.to_ndarray().T)
    except av.FFmpegError as error:
        raise damaged(path, error.strerror or type(error).__name__) from error
    held = got / stream.codec_context.sample_rate
    if (
        seconds is not None and held < seconds * 0.98 - 0.1
    ):  # 0.1 s: encoder delay is counted in by some muxers
        raise truncated(path, held, seconds)


def _skip(blocks: Iterator[Block], frames: int) -> Iterator[Block]:
    for block in blocks:
        if frames < len(block):
            yield block[frames:] if frames else block
        frames = max(0, frames - len(block))


def not_audio(path: Path) -> InputError:
    """The error for a file without audio."""
    return InputError(
        "audio.format",
        f"{path} is not an audio file, or its header is damaged.",
        "Readable are WAV, FLAC, OGG, MP3 and what ffmpeg reads (M4A, WebM, Opus ...).",
    )


def damaged(path: Path, why: str) -> InputError:
    """The error for a file that breaks while it is decoded."""
    return InputError("audio.damaged", f"{path} is damaged ({why.rstrip('.')}).", "Copy or record it again.")


def truncated(path: Path, held_s: float, promised_s: float) -> InputError:
    """The error for a file that ends before its header says."""
    return InputError(
        "audio.truncated",
        f"{path} is cut off: its header promises {promised_s:.2f} s of audio, the file holds {held_s:.2f} s.",
        "Copy or record it again.",
    )
