"""The embedded models: what they are, where they come from, where they lie, and whether they are whole."""
