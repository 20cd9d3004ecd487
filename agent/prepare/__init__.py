"""What can be ready before it is needed: spoken phrases, likely replies, and what this machine needs for each stage."""
