"""Running calls: whatever a tool does, one outcome comes of each."""
