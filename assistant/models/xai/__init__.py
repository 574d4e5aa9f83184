"""The direct client for xAI."""
