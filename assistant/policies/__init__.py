"""The company's policies: Markdown files that tell a model what to do, with rules that the code enforces.

Begin with ``policy.py``, which says what a policy is. ``folder.py`` reads and checks the files,
``condition.py`` reads the conditions of their rules, ``enforce.py`` denies calls that break a rule, and
``choose.py`` finds the few policies that a model needs in a turn.
"""
