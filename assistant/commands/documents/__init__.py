"""``assistant documents``: a file for each of its commands, and what they share."""
