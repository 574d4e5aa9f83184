"""Patience with whatever fails: when to try again, and when to leave it alone for a while."""
