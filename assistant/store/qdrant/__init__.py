"""Documents on a Qdrant server, found by meaning."""
