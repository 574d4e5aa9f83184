"""Tool calling in text, for models without tool calling of their own.

Begin with ``route``: ``TextRoute`` wraps such a model. ``reply_reader`` reads its replies, ``openings`` finds where
calls begin, ``tool_chain`` writes and runs calls; ``json_calls`` (with
``loose_json``) and ``yaml_calls`` read them into ``calls``.
"""
