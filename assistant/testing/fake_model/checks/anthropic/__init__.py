"""What Anthropic refuses, in its own words."""
