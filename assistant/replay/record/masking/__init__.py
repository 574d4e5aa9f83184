"""Takes whoever spoke out of a recorded conversation: each personal thing becomes another of its kind."""
