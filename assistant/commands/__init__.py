"""The commands, a file or a folder each."""
