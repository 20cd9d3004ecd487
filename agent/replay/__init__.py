"""Replays recorded calls through the pipeline that the microphone uses, in real time, and measures every turn."""
