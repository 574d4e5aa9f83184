"""Every provider that has no client of ours, through litellm, which is imported in one file and only if needed."""
