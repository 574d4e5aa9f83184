"""How fast and how well the assistant hears and speaks."""
