"""Makes a cassette of a conversation that was held: from its log, without whoever spoke in it."""
