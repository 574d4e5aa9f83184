"""What OpenAI refuses, in its own words; other servers that speak chat completions refuse much the same."""
