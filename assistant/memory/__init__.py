"""The limits of a conversation, and its lookups: budgets, summaries, documents and the tools that
read them.

Begin with ``budget`` (the size of a request) and ``library`` (storing and finding documents).
"""
