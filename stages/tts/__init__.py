"""Speech synthesis by speakable pieces.

import soundfile
from stages.tts.piper_voice import PiperVoice
voice = PiperVoice("models/en_US-joe-medium.onnx")
soundfile.write("hello.wav", voice.speak("Hello, how can I help you?"), voice.rate_hz)
"""
