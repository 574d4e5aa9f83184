"""Arguments that are taken from the result of another call of the same decision."""
