"""What happened in a conversation, for staff: computed from its log alone.

Begin at `timeline`: one turn in time, with what the customer saw, each request to a model and each call. `detail`
is a whole conversation: what was said, and the timeline of each turn. `conversation_index` is how conversations are
listed and searched, and `indexing` fills that index.
"""
