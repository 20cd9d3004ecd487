"""Voice activity and turn end."""
