"""Conversations that are spoken: what is heard becomes messages, what is said becomes sound."""
