"""A line: one customer who speaks and is spoken to, over whatever carries the sound."""
