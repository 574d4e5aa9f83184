"""Conversations that are recorded, replayed in no time, and held to what they should be."""
