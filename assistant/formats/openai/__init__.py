"""Requests for OpenAI's chat completions, which many other servers speak too."""
