"""The people who work with the assistant: accounts with roles, sign-in, and a record of what each did.

Begin with ``staff.Staff``, which signs people in and changes accounts. ``roles`` says what each role may do.
``store`` has the ports of the storage. The pages and routes are in :mod:`assistant.server.console`.
"""
