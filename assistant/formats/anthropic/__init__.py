"""Requests for Anthropic's messages."""
