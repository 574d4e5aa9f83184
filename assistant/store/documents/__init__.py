"""The document stores: ``memory``, ``sqlite``, ``pgvector`` and ``qdrant`` give the same guarantees.

Begin with ``memory``. The first two need no server; the drivers of the others are imported only when they are
used.
"""
