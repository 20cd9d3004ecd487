"""The voice agent: the only package that knows the stages and the budget, and the only one that imports pipecat."""
