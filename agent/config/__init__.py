"""The whole configuration: its model, its strict loader, and what explains it."""
