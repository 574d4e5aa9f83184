"""The commands for what a company writes: its project, tools, prompts and policies."""
