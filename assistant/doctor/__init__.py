"""``assistant doctor``: checks everything that is set up, and says what is wrong and how to mend it.

Begin with ``examine``, which runs all checks. Each ``*_findings`` module holds the checks of one area.
"""
