"""``assistant doctor``: checks the whole configuration, and tells each problem with its solution.

Begin with ``examine``, which runs all checks. Each ``*_findings`` module has the checks of one area.
"""
