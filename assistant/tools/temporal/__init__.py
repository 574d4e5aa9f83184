"""Long calls on Temporal, whose server keeps them even if our processes end.

Imports ``temporalio``, the extra ``temporal``: only :mod:`assistant.assembly.long_calls` imports this package.
"""
