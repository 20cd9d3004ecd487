"""Speech recognition: what was said, and whether anything was.

import soundfile
from stages.asr.whisper import WhisperRecogniser
audio, rate = soundfile.read("hello-16k.wav", dtype="float32")
print(WhisperRecogniser("models/whisper-base").transcribe(audio).text)
"""
