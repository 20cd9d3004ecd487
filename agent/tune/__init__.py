"""Searches the configuration for the settings that suit a set of calls, and says what they gain."""
