"""Requests that litellm translates for whoever is asked."""
