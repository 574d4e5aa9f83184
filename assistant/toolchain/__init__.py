"""Calls that a model writes as text: read, run, and their results written as sections.

Begin with ``tool_chain``: what a chain is. ``text_chains`` has those for JSON and YAML; ``json_reader`` and
``yaml_reader`` read calls while they come, ``growing`` makes calls of what they read.
"""
