"""Long calls on Temporal, whose server keeps them whatever happens to our processes.

Imports ``temporalio``, the extra ``temporal``: only :mod:`assistant.assembly.long_calls` imports this package.
"""
