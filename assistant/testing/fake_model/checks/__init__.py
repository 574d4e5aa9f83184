"""What real providers refuse, and so the fake ones do."""
