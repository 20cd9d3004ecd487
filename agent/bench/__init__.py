"""Benchmarks of single parts, on labelled calls and tasks, without real time."""
