"""The code of the commands, one module for each; imported only when the command is called.

``project`` has the commands for what a company writes: tools, prompts, policies. ``stored`` has those for stored
data: customers, conversations, documents, backups. ``evaluation`` has ``assistant evaluate``. The others are in
this folder. Options are declared in ``assistant.cli`` and in modules named ``cli``; only ``project`` declares its
own.
"""
