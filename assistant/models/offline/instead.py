"""Takes another deed for the same thing: "no, move it to Thursday instead", after "Shall I cancel ...?"."""

import re
from collections.abc import Sequence
from typing import Final

from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Ask, Decision, Planned
from assistant.models.offline.resolve import completed, identifying
from assistant.models.offline.slots import slots_of

_IT: Final = re.compile(r"\b(?:it|that|this)\b")


def take_instead(waiting: Sequence[Planned], message: Message, wanted: Decision) -> Decision | None:
    """The deed that the message orders by itself (``wanted``), for what the waiting call was for.

    None unless one call waits, and the message orders another deed on "it".
    """
    plans: list[Planned | Ask] = [*wanted.calls, *([wanted.reply] if isinstance(wanted.reply, Ask) else [])]
    if len(waiting) != 1 or len(plans) != 1 or not _IT.search(message.text):
        return None
    (old,), (new,) = waiting, plans
    ours = identifying(slots_of(new.spec))
    if new.spec == old.spec or new.spec.effect == "read" or ours & set(new.arguments):
        return None
    named = {name: value for name, value in old.arguments.items() if name in ours}
    if not named:
        return None
    made = completed(new, named)
    return Decision((made,)) if isinstance(made, Planned) else Decision(reply=made)
