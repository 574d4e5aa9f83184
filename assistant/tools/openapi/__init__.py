"""Drafts HTTP tools from an OpenAPI description, for people to review."""
