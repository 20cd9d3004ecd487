"""Where audio comes from and goes to. A microphone is one more transport; nothing else changes."""
