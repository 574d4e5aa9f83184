"""Texts for models and customers: templates, their typed inputs, and each locale's words. Begin with ``book.py``.

``instructions`` are for models, ``utterances`` for customers. ``compiler`` checks a folder of templates,
``sandbox`` runs them.
"""
