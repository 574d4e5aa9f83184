"""What the commands do, a module for each; it is imported only when the command is called.

Options are declared in ``assistant.cli``; only ``tools`` and ``prompts`` declare their own.
"""
