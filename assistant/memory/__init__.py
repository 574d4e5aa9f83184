"""What a conversation can hold and what it can look up: budgets, summaries, documents and the tools that read them.

Begin with ``budget`` (what a request may hold) and ``library`` (how documents are kept and found).
"""
