"""Speech synthesis by speakable pieces."""
