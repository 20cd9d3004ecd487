"""The command line: one module a command; app.py gathers them and prints their errors."""
