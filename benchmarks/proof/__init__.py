"""Answers and narrations that were written without sight of the code, played through the real turn.

* ``answers.tsv``, ``narrations.jsonl``: the frozen sets; ``rows`` reads them.
* ``trades``: the companies: tools and documents. ``questions``: what they ask before a change.
* ``conversation``: one conversation in process, with a scripted model.
* ``answers``, ``narrations``: play a row and judge it by its effect.

Begin with ``__main__``.
"""
