"""One customer message, from the first decision to the answer. Begin with ``turn.py``.

``context`` has what each stage receives. The stages are ``confirmation``, ``decide``, ``run_tools``,
``narrate``, ``undelivered`` and ``finish``; ``decision_stream`` and ``message_stream`` run while a model
answers.
"""
