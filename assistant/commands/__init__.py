"""The code of the commands, one module for each; imported only when the command is called.

Options are declared in ``assistant.cli``; only ``tools`` and ``prompts`` declare their own.
"""
