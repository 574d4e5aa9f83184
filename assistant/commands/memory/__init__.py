"""``assistant memory``: a file for what it looks up, and one for each form that shows it."""
