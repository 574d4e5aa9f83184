"""Stores everything durable: the log of entries, documents, configurations, credentials, and records for erasure.

Begin with ``storage``, which has the ports. ``sqlite_storage`` opens all storage of a data folder;
``sqlite_log`` and ``memory_log`` are the logs. ``sqlite_file`` opens all SQLite files. ``documents`` has the
document stores: memory, SQLite, PostgreSQL with pgvector, Qdrant.
"""
