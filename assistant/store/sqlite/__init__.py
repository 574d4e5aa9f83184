"""Stores everything in the files of a data folder, without a server.

Begin with ``storage``, which opens all of them. ``file`` opens any SQLite file. ``log`` is the log; its file
``log.db`` also has the bundles, the queue of documents and the records for erasure. ``log_reader`` reads it while a
server writes to it.
"""
