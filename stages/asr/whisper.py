"""Whisper on CTranslate2, fed with what was said and not with 30 seconds.

The encoder's work grows with its window, so the window is the utterance and two seconds of silence. Without time
stamps the decoder repeats the utterance into the silence (21.7 % word error rate against 6.4 %, base int8); with
them on it ends where the speech ends. Figures: docs/benchmarks.md.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.asr.config import AsrConfig
from stages.asr.gate import (
    Reading,
    VoiceFound,
    is_sure,
    may_be_steady,
    steady_fault,
    text_fault,
    too_quiet,
    voice_fault,
)
from stages.asr.tail import cut_repeats, spoken_tokens
from stages.asr.words import timed_words
from stages.audio.level import levels
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Abort, Audio, Transcript, VoiceActivity, never
from stages.errors import Aborted, EnvironmentFault, InputError

MAX_SECONDS = 30
"""What Whisper's encoder takes at most."""

_FILES = ("model.bin", "config.json", "tokenizer.json")


class WhisperRecogniser:
    """One Whisper model. No state between calls; as many as ``workers`` may run at the same time."""

    def __init__(
        self, model_dir: Path, config: AsrConfig | None = None, *, activity: VoiceActivity | None = None
    ) -> None:
        """Load the model in ``model_dir`` (CTranslate2 files and tokenizer.json).

        ``activity`` looks for voice under text that the decoder is unsure of; by default a Silero of our own.
        Raises EnvironmentFault when a file or the library is missing or the model cannot be read, InputError
        when the model does not know the language.
        """
        self._config = config or AsrConfig()
        self._model = _load(Path(model_dir), self._config)
        self._tokenizer = _tokenizer(self._model, self._config.language, model_dir)
        self._prompt = list(self._tokenizer.sot_sequence)
        self._suppressed = _suppressed(self._tokenizer)
        self._activity = activity or _silero()

    def transcribe(self, audio: Audio, *, abort: Abort = never, words: bool = False) -> Transcript:
        """Read ``audio`` (float32 mono, 16 kHz, up to 30 s) once, greedily; ``words`` asks for their times.

        ``abort`` is asked before each of the two steps, encoding and decoding (30 and 80 ms: 3 s, base).
        Raises Aborted; InputError when the audio is too long, not flat, or holds something that is no number;
        EnvironmentFault when the library fails.
        """
        _check(audio)
        if too_quiet(loudest_dbfs(audio), self._config.gate):
            return Transcript("", no_speech=1.0, rejected="too_quiet")
        try:
            return self._read(audio, abort, words)
        except RuntimeError as fault:  # what CTranslate2 raises, for want of memory too
            raise EnvironmentFault("asr.failed", f"Whisper failed: {fault}.") from fault

    def _read(self, audio: Audio, abort: Abort, words: bool) -> Transcript:
        _stop_if(abort)
        encoded = self._encode(audio)
        _stop_if(abort)
        result = self._decode(encoded, audio.size / RATE_HZ)
        spoken = spoken_tokens(
            result.sequences_ids[0],
            first_stamp=self._tokenizer.timestamp_begin,
            duration_s=audio.size / RATE_HZ,
        )
        transcript = self._judge(audio, result, spoken)
        if not words or not transcript.text:
            return transcript
        timed = timed_words(self._model, self._tokenizer, encoded, spoken, audio.size)
        # Words behind a tail that was cut are not in the text.
        return replace(transcript, words=timed[: len(transcript.text.split())])

    def _encode(self, audio: Audio) -> Any:
        from faster_whisper.transcribe import get_ctranslate2_storage

        size = min(audio.size + int(self._config.margin_s * RATE_HZ), MAX_SECONDS * RATE_HZ)
        window = np.zeros(size, dtype=np.float32)
        # An offset of 0.1 under a quiet voice cost 12.4 % words against 6.2 % without; the level itself costs
        # nothing down to -34 dB, so it is left alone.
        window[: audio.size] = audio - audio.mean()
        features = self._model.feature_extractor(window, padding=0)
        even = features[None, :, : features.shape[1] // 2 * 2]  # the encoder halves the frames
        return self._model.model.encode(get_ctranslate2_storage(np.ascontiguousarray(even, dtype=np.float32)))

    def _decode(self, encoded: Any, duration_s: float) -> Any:
        limit = int(duration_s * self._config.tokens_per_second) + self._config.tokens_spare
        return self._model.model.generate(
            encoded,
            [self._prompt],
            beam_size=1,
            max_length=len(self._prompt) + limit,
            suppress_tokens=self._suppressed,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]

    def _judge(self, audio: Audio, result: Any, spoken: list[int]) -> Transcript:
        tokens = result.sequences_ids[0]
        text = self._tokenizer.decode(spoken).strip()
        # CTranslate2 gives the mean over the tokens; the end token counts too, as in Whisper's own code.
        mean = result.scores[0] * len(tokens) / (len(tokens) + 1)
        reading = Reading(text, float(result.no_speech_prob), float(mean))
        fault = text_fault(reading, self._config.gate) or self._voice_fault(audio, reading)
        said = cut_repeats(text, self._config.gate.repeats, audio.size / RATE_HZ) if fault is None else ""
        return Transcript(said, reading.no_speech, reading.mean_logprob, len(tokens), fault)

    def _voice_fault(self, audio: Audio, reading: Reading) -> str | None:
        """What voice activity says against text that is in doubt."""
        gate = self._config.gate
        steady = may_be_steady(reading, level_range_db(audio), gate)
        if is_sure(reading, gate) and not steady:
            return None
        voice = self._look_for_voice(audio)
        return voice_fault(voice, gate) or (steady_fault(voice, gate) if steady else None)

    def _look_for_voice(self, audio: Audio) -> VoiceFound:
        """Silero over the whole audio: 0.1 to 0.25 ms a window, so only when the text is in doubt."""
        activity = copy(self._activity)  # a state of its own: two readings may run at the same time
        activity.reset()
        windows = audio[: audio.size // WINDOW_SAMPLES * WINDOW_SAMPLES].reshape(-1, WINDOW_SAMPLES)
        voiced = [p for window in windows if (p := activity.probability(window)) > 0.5]
        share, mean = len(voiced) / max(1, len(windows)), sum(voiced) / max(1, len(voiced))
        return VoiceFound(len(voiced) * WINDOW_SAMPLES * 1000 / RATE_HZ, share, mean)


def loudest_dbfs(audio: Audio) -> float:
    """Level of the loudest 20 ms of ``audio`` (16 kHz) in dBFS, without its DC offset; at least -120."""
    frame = RATE_HZ // 50
    if audio.size == 0:
        return -120.0
    padded = np.zeros(-(-audio.size // frame) * frame, dtype=np.float32)
    padded[: audio.size] = audio - audio.mean()
    power = float(np.square(padded.reshape(-1, frame)).mean(axis=1).max())
    return max(-120.0, 10.0 * float(np.log10(power + 1e-12)))


def level_range_db(audio: Audio) -> float:
    """How far the level of ``audio`` (16 kHz, not empty) moves: 95th less 10th percentile of its 10 ms windows."""
    low, high = np.percentile(levels(audio, RATE_HZ), [10, 95])
    return float(high - low)


def _check(audio: NDArray[np.float32]) -> None:
    if audio.ndim != 1:
        raise InputError(
            "audio.shape", f"Recognition takes mono audio of shape (samples,), not {audio.shape}."
        )
    if audio.size > MAX_SECONDS * RATE_HZ:
        raise InputError(
            "audio.too_long", f"Whisper reads {MAX_SECONDS} s at a time, not {audio.size / RATE_HZ:.1f} s."
        )
    if not np.isfinite(audio).all():
        raise InputError("audio.not_finite", "The audio holds values that are no numbers (NaN or infinite).")


def _stop_if(abort: Abort) -> None:
    if abort():
        raise Aborted


def _load(model_dir: Path, config: AsrConfig) -> Any:
    # faster-whisper takes a missing folder for the name of a model to download, so look first.
    for name in _FILES:
        if not (model_dir / name).is_file():
            raise EnvironmentFault(
                "model.missing", f"The Whisper model {model_dir} has no {name}.", "Pull the model again."
            )
    try:
        from faster_whisper import WhisperModel
    except ImportError as fault:
        raise EnvironmentFault(
            "library.missing",
            "faster-whisper is not installed.",
            'Install it: pip install "faster-whisper>=1.2,<2".',
        ) from fault
    try:
        return WhisperModel(
            str(model_dir),
            device="cpu",
            compute_type=config.compute_type,
            cpu_threads=config.threads,
            num_workers=config.workers,
        )
    except Exception as fault:  # CTranslate2 raises RuntimeError and ValueError, tokenizers bare Exception
        raise EnvironmentFault(
            "model.unreadable", f"The Whisper model {model_dir} cannot be read: {fault}.", "Pull it again."
        ) from fault


def _tokenizer(model: Any, language: str, model_dir: Path) -> Any:
    from faster_whisper.tokenizer import Tokenizer

    multilingual = model.model.is_multilingual
    if not multilingual and language != "en":
        raise InputError(
            "asr.language",
            f"The model {model_dir} knows English only, not {language!r}.",
            "Choose another model.",
        )
    try:
        return Tokenizer(model.hf_tokenizer, multilingual, task="transcribe", language=language)
    except ValueError as fault:
        raise InputError("asr.language", f"Whisper knows no language {language!r}.", "Try en.") from fault


def _suppressed(tokenizer: Any) -> list[int]:
    """Tokens that are never speech: notes, brackets, speaker tags, the prompt's own marks."""
    from faster_whisper.transcribe import get_suppressed_tokens

    return list(get_suppressed_tokens(tokenizer, [-1]))


def _silero() -> VoiceActivity:
    from stages.endpoint.silero import SileroVad

    return SileroVad()
