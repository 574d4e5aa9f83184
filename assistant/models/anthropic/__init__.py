"""The direct client for Anthropic's messages."""
