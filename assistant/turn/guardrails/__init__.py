"""Guardrails: rules that read what a model says before a customer sees it.

Begin at :mod:`pipeline`, which says which guardrails a message goes through. Each is a filter for one streamed
message (:mod:`guardrail`): :mod:`claims`, with :mod:`grammar` and :mod:`evidence`, for deeds and promises, and
:mod:`repetition`.
"""
