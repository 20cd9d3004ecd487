"""Choosing between several answers: pure functions over candidates with their log-probabilities."""
