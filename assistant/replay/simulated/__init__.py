"""Customers whom a model plays: who they are, what they want, and what they say next."""
