"""Reading, resampling and measuring audio."""
