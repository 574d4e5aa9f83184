"""The company's policies: Markdown files with instructions for a model, and with rules that the code
enforces.

Begin with ``policy.py``, which defines a policy. ``folder.py`` reads and checks the files,
``condition.py`` reads the conditions of their rules, ``enforce.py`` denies calls that break a rule, and
``choose.py`` finds the few policies that a model needs in a turn.
"""
