"""Engines, each usable alone from a Python prompt. They know no pipecat, no clock and no budget."""
