"""Answers a question about one thing of an earlier result from there: "how much was the second one?"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import JsonObject
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Ask, Decision, Planned, Recall
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.fields import asked_in, may_change
from assistant.models.offline.scene import Scene
from assistant.models.offline.things import Shown, items_of, named_in, one_pointed_at

_PAST: Final = re.compile(r"\b(?:was|were|did|had)\b")
_MAY_BE_OTHERWISE: Final = re.compile(
    r"\b(?:still|now|yet|already|current|currently|meanwhile|chang(?:ed?|ing)|check|look|since|news?|updated?)\b"
)
_WORD: Final = re.compile(r"[a-z]+")
_IT: Final = re.compile(r"\b(?:it|that one|this one)\b")


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found last, whole or shortened; ``full_ref`` leads to the whole."""

    shown: Shown
    full_ref: str


def take_recall(
    message: Message, before: Decision, earlier: Sequence[Exchange], fresh: Decision, scene: Scene
) -> Decision | None:
    """Tell a value of what was found last, without looking again; None where it is not asked for.

    Nothing is told of a state that may be another by now, unless it is asked what it was, nor after a side effect,
    nor where the message wants anything else. Where the thing was cut out of the result, the whole is loaded.
    """
    found = _found_last(earlier, message, scene)
    if found is None or not _asks_for_nothing_else(message, fresh, found):
        return None
    text, entities = message.text, message.entities
    last = before.reply if isinstance(before.reply, Recall) else None
    item = one_pointed_at(found.shown, text, entities)
    if item is None and last is not None and _IT.search(text) and not entities.places:
        item = last.item
    if item is None:
        return None
    if not item:
        return _loaded(found, message, scene)
    asked = asked_in(text, item)
    if not asked and last is not None and entities.places:
        asked = tuple(key for key in last.asked if key in item)  # "and the first one?"
    past = _PAST.search(text) is not None
    if not asked or (may_change(item, asked) and not past):
        return None
    return Decision(reply=recall_of(found.shown.items, item, message, asked, past=past))


def recall_of(
    items: Sequence[JsonObject],
    item: JsonObject,
    message: Message,
    asked: tuple[str, ...] = (),
    *,
    past: bool = False,
) -> Recall:
    """What is told of one of these things, and where it stands if that is how it was asked for."""
    if not message.entities.places:
        return Recall(item, asked, past=past)
    # Two of them may read alike.
    place = next(number for number, one in enumerate(items, 1) if one is item)
    return Recall(item, asked, place, past)


def _found_last(earlier: Sequence[Exchange], message: Message, scene: Scene) -> _Found | None:
    """The last result. A place is one in a list: where the last look-up was for one thing, in that before it."""
    tool = ""
    for exchange in reversed(earlier):
        match exchange.outcomes:
            case ():
                continue
            case (CallSucceeded() as outcome,) if tool in ("", outcome.call.tool):
                tool = outcome.call.tool
            case _:
                return None  # of several results, nobody knows which has the second one
        spec = scene.specs.get(tool)
        if spec is None or spec.effect != "read" or spec.role != "tool":
            return None
        items = items_of(outcome.value)
        if len(items) > 1 or not message.entities.places:
            shown = (one for one in reversed(scene.shown) if (one.call, one.items) == (outcome.call, items))
            return _Found(next(shown), outcome.full_ref)
    return None


def _asks_for_nothing_else(message: Message, fresh: Decision, found: _Found) -> bool:
    if any(piece.stance in ("negated", "retracted") for piece in message.pieces):
        return False
    if isinstance(fresh.reply, Ask) or _MAY_BE_OTHERWISE.search(message.text):
        return False
    words = _WORD.findall(message.text)
    return all(_is_beside(plan, words, found) for plan in fresh.calls)


def _is_beside(plan: Planned, words: Sequence[str], found: _Found) -> bool:
    """Whether a call is only what the question sounds like: one that looks for things that it does not name."""
    tool = plan.spec.name
    if plan.spec.effect != "read" or plan.spec.role != "tool":
        return False
    return tool == found.shown.call.tool or not any(named_in(word, tool) for word in words)


def _loaded(found: _Found, message: Message, scene: Scene) -> Decision | None:
    if not found.full_ref or scene.loads is None or not message.entities.places:
        return None
    return Decision((Planned(scene.loads, {"ref": found.full_ref}),))
