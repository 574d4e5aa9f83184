"""What a conversation may contain and what it can look up: budgets, summaries, documents and the tools that
read them.

Begin with ``budget`` (the size of a request) and ``library`` (how documents are stored and found).
"""
