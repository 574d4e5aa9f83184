"""The tools with which the assistant looks into documents."""
