"""For operators: spans and metrics of finished turns. Off unless the configuration asks for it."""
