"""Documents in a PostgreSQL database, found by meaning with its extension pgvector."""
