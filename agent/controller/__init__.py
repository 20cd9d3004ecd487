"""The controller on the live path: ways of answering under way, what is predicted of them, and what was decided."""
