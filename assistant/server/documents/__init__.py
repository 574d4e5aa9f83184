"""Files that operators and customers hand in, to be looked up later."""
