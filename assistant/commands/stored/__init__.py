"""The commands for stored data: customers, conversations, documents, reports, secrets, backups, upgrades.

``cli`` declares their options. Those of commands without subcommands, such as ``assistant backup``, are in
``assistant.cli``.
"""
