"""``assistant doctor``: checks everything that is configured, and says what is wrong and how to fix it.

Begin with ``examine``, which runs all checks. Each ``*_findings`` module has the checks of one area.
"""
