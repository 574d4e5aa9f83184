"""The ears: when somebody speaks, when they have finished, and when they interrupt."""
