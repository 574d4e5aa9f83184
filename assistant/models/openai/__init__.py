"""The direct client for OpenAI and for every server that speaks its chat completions."""
