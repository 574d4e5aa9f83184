"""Adapters to models: each offers the port ``Model`` and raises ``ModelError`` alone."""
