"""Stores everything durable: the log of entries, documents, configurations, credentials, and records for erasure.

Begin with ``storage``, which has the ports. ``sqlite`` implements them in the files of a data folder, ``postgres``
in a database; ``memory_log`` is a log for tests and trials. ``documents`` has the document stores: memory, SQLite,
PostgreSQL with pgvector, Qdrant. ``copying`` makes backups and copies an installation.
"""
