"""What builds and maintains the project; nothing here is imported by it."""
