"""Puts into few words what a conversation can no longer hold whole: what was said, and large results."""
