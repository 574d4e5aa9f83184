"""The waiting voice: what is said when there is nothing to say yet."""
