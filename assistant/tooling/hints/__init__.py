"""Waiting hints: their forms, and what they must not hold."""
