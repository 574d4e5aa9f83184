"""How much a request to a model may hold: what its parts take, and what is left out when they take too much."""
