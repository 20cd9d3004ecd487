"""The report of a run: its JSON contract, how it is put together, and how people read it."""
