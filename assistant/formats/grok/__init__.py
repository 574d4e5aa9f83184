"""Requests for xAI's chat completions."""
