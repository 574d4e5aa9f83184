"""Looks at everything that is set up, and says what is wrong and what would mend it."""
