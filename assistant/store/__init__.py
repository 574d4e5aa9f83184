"""Keeps everything durable: the log of entries, documents, configurations, credentials, and what erasing needs.

Begin with ``memory_log``, then ``sqlite_log``. All SQLite files are opened by ``sqlite_file``.
``documents`` has the document stores: memory, SQLite, PostgreSQL with pgvector, Qdrant.
"""
