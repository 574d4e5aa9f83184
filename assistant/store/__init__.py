"""Stores everything durable: the log of entries, documents, configurations, credentials, and records for
erasure.

Begin with ``memory_log``, then ``sqlite_log``. ``sqlite_file`` opens all SQLite files. ``documents`` has the
document stores: memory, SQLite, PostgreSQL with pgvector, Qdrant.
"""
