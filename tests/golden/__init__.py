"""The golden record: what model providers, clients and customers see of fixed conversations, to the byte.

Begin with ``scenes.py``, which lists every conversation. ``record.py`` holds what is recorded of one, and
``hashes.txt`` the hashes. ``python -m tests.golden --help`` names the commands.
"""
