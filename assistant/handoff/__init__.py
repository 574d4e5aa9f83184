"""How a human being takes a conversation over: the desks that they sit at."""
