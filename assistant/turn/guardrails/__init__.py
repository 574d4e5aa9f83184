"""Guardrails: rules that check a model's text before a customer sees it.

Begin at :mod:`pipeline`, which chooses the guardrails of a message. Each is a filter for one streamed message
(:mod:`guardrail`): :mod:`claims`, with :mod:`grammar` and :mod:`evidence`, for actions and promises, and
:mod:`repetition`, and :mod:`facts` for values, with :mod:`fact_evidence`, :mod:`swaps` and :mod:`labels`.
"""
