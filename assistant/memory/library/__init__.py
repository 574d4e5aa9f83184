"""The way into and out of the document store: what is kept is written behind, and found by meaning."""
