"""A live conversation: microphone and loudspeaker, what a person sees of it, and its recording."""
