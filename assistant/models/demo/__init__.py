"""The embedded demo model: decides by sentence embeddings and rules, narrates by the tools' templates.

Begin with ``model`` (the port) and ``think`` (decides one message of a conversation). A message is read by
``clauses``,
``entities``, ``dates`` and ``words``, matched with tools by ``understand``, and decided by ``decide``.
``answer``,
``correct``, ``recall``, ``resolve`` and ``things`` read it in the context of earlier messages.
"""
