"""The document stores: ``memory``, ``sqlite``, ``pgvector`` and ``qdrant`` keep the same promises.

Begin with ``memory``. The first two need no server; drivers of the others are imported only where they are used.
"""
