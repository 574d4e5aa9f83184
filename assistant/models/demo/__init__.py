"""The embedded demo model: decides by sentence embeddings and rules, narrates by the tools' templates.

Begin with ``model`` (the port) and ``think`` (one conversation's latest message). A message is read by ``clauses``,
``entities``, ``dates`` and ``words``, matched with tools by ``understand``, and decided by ``decide``. ``answer``,
``correct``, ``recall``, ``resolve`` and ``things`` read it as part of what went before.
"""
