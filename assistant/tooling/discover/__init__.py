"""Finding the tools of a folder."""
