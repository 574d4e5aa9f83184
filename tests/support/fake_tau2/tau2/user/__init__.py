"""Plays customers."""
