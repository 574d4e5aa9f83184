"""Models that have no tool calling of their own: they write their calls as text."""
