"""Holds a recorded conversation again: a customer, models and tools that do what the cassette says."""
