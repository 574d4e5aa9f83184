"""Builds the components that the settings select."""
