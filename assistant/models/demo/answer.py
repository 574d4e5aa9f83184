"""Reads a customer's message as the answer to the assistant's question."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final, assert_never

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.models.demo.clauses import deed_of
from assistant.models.demo.correct import is_name
from assistant.models.demo.decide import Message, may_act, plan_call
from assistant.models.demo.decision import (
    Ask,
    Decision,
    Exchange,
    Help,
    Planned,
    Slot,
    Smalltalk,
    Unsure,
    slots_of,
)
from assistant.models.demo.fill import shaped
from assistant.models.demo.resolve import completed, identifying, resolve, thing_slot
from assistant.models.demo.things import Scene, named_in, named_thing
from assistant.models.demo.understand import APART, LIKELY
from assistant.models.demo.words import stems

_YES: Final = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|ok|okay|exactly|correct|right|please|please do|do (?:it|that)|go ahead)\b"
)
_DOUBT: Final = re.compile(r"\b(?:maybe|perhaps|might|should|not sure|don't know|what if|would|wonder)\b")
_LEADING: Final = re.compile(
    r"^(?:it's|its|it is|the|my|to|for|number|order|at|on|is|about|please|i think|that's|that would be|,)\s+"
)
_NO_NAME: Final = re.compile(
    r"^(?:yes|yeah|yep|no|nope|not?|none|ok|okay|sure|what|why|how|i|hm+|both|all|wait|it|that|this|help)\b"
)
_LONGEST_ANSWER: Final = 6  # words; more than that is no name of a thing


def take_answer(asked: Ask | Unsure, message: Message, fresh: Decision, scene: Scene) -> Decision | None:
    """Returns the decision that follows from an answer to an open question, or None if the message is no
    answer.

    ``fresh`` is the decision about the message without its context. A message that requests something else is
    no answer.
    """
    if _refuses(message):
        return None
    if isinstance(asked, Unsure) and (chosen := _ordered(asked, message, scene)) is not None:
        return Decision((chosen,)) if isinstance(chosen, Planned) else Decision(reply=chosen)
    if not _only_rules_out(message) and _is_another_request(fresh, message):
        return None
    if isinstance(asked, Ask) and _names_another_thing(asked, message, scene):
        return None
    match asked:
        case Ask():
            return _complete(asked, message, scene)
        case Unsure():
            return _choose(asked, message, scene)
        case _:
            assert_never(asked)


def _refuses(message: Message) -> bool:
    """Whether the customer declines all options. "not the first, the other one" does not: it chooses."""
    stances = {piece.stance for piece in message.pieces}
    if "retracted" in stances:
        return True
    return "negated" in stances and not _only_rules_out(message)


def _only_rules_out(message: Message) -> bool:
    """Whether a message chooses by excluding something: "not the eye test, the other one"."""
    negated = any(piece.stance == "negated" for piece in message.pieces)
    return negated and bool(message.entities.places) and is_name(message)


def _is_another_request(fresh: Decision, message: Message) -> bool:
    # "The December one" alone matches a tool that lists appointments. After "which one?" it is an answer.
    looks = fresh.calls and not (is_name(message) and all(one.spec.effect == "read" for one in fresh.calls))
    match fresh.reply:
        case Smalltalk(about=about):
            return about != "listening"
        case Help(unmatched=unmatched):
            return bool(looks) or not unmatched
        case _:
            return bool(looks)


def _names_another_thing(ask: Ask, message: Message, scene: Scene) -> bool:
    """Whether a message is about another kind of thing: "both appointments" after "which order?"."""
    said = stems(message.text)
    if not ask.slot.noun or stems(ask.slot.noun) & said:
        return False
    slots = (thing_slot(slots_of(spec)) for spec in scene.specs.values())
    others = {slot.noun for slot in slots if slot is not None and slot.noun} - {ask.slot.noun}
    return any(stems(noun) & said for noun in others)


def _complete(ask: Ask, message: Message, scene: Scene) -> Decision | None:
    text, entities = message.text, message.entities
    if entities.places and _DOUBT.search(text):
        return Decision(reply=ask)
    named = resolve(Decision(reply=ask), message, replace(scene, specs={}))
    if named.calls or named.reply != ask:
        return named
    plan: Planned | Ask = ask
    value = named_thing(ask.slot, entities, text, scene.shown) if ask.slot.kind == "reference" else None
    if value is None:
        # A day that was used to identify a thing is not also an argument.
        plan = plan_call(ask.spec, ask.arguments, text, entities, scene.today)
        value = plan.arguments.get(ask.slot.name)
    if value is None:
        value = _in_words(ask, message)
    if value is None and entities.places and ask.slot.kind == "reference":
        return Decision(reply=ask)  # a position beyond the end of the list
    if value is None:
        known = identifying(slots_of(ask.spec)) & (set(plan.arguments) - set(ask.arguments))
        return Decision((plan,)) if known and isinstance(plan, Planned) else None
    plan = completed(plan, {ask.slot.name: value})
    return Decision((plan,)) if isinstance(plan, Planned) else Decision(reply=plan)


def _in_words(ask: Ask, message: Message) -> Json:
    slot = ask.slot
    if slot.kind not in ("reference", "text"):
        return None
    if slot.kind == "reference" and message.entities.references:
        return shaped(slot, message.entities.references[0].value)
    return _words(slot, message.text)


def _words(slot: Slot, text: str) -> str | None:
    words = text.strip(" .!,")
    while (shorter := _LEADING.sub("", words)) != words:
        words = shorter
    short = 0 < len(words.split()) <= _LONGEST_ANSWER and "?" not in words and not _NO_NAME.search(words)
    # A name ("the sunglasses") is accepted for a number only if the parameter's description allows it.
    takes_words = slot.kind == "text" or " or " in slot.description
    return words if short and takes_words and slot.pattern is None and not slot.numeric else None


def _choose(unsure: Unsure, message: Message, scene: Scene) -> Decision | None:
    chosen = _chosen(unsure, message) or _filled(unsure, message, scene)
    if chosen is None:
        return None
    return Decision((chosen,)) if isinstance(chosen, Planned) else Decision(reply=chosen)


def _chosen(unsure: Unsure, message: Message) -> Planned | Ask | None:
    named = [option for option in unsure.options if named_in_words(option.spec, message.text)]
    if len(named) == 1 and is_name(message):
        return named[0]
    if len(unsure.options) == 1 and _YES.search(message.text):
        return unsure.options[0]
    if message.entities.places and 0 < (place := message.entities.places[0].value) <= len(unsure.options):
        return unsure.options[place - 1]
    if _DOUBT.search(message.text):
        return None
    match _ranked(unsure, message):
        case [(score, option)] if score >= LIKELY:
            return option
        case [(score, option), (next_score, _), *_] if score >= LIKELY and score - next_score >= APART:
            return option
        case _:
            return None


def _ordered(unsure: Unsure, message: Message, scene: Scene) -> Planned | Ask | None:
    """Returns the option that the message explicitly asks for, with its known arguments: "cancel it, then"."""
    asking = [piece for piece in message.pieces if piece.sure and may_act(piece, message)]
    sure = {piece.best.spec.name for piece in asking if piece.best.spec}
    options = [option for option in unsure.options if option.spec.name in sure]
    if len(options) != 1 or len(sure) != 1:
        return None
    (only,) = options
    return plan_call(only.spec, only.arguments, message.text, message.entities, scene.today)


def _filled(unsure: Unsure, message: Message, scene: Scene) -> Planned | Ask | None:
    """Returns the only option, with a value that it lacked: "my number has changed", and then the number."""
    if len(unsure.options) != 1:
        return None
    (only,) = unsure.options
    plan = plan_call(only.spec, only.arguments, message.text, message.entities, scene.today)
    return plan if plan.arguments != only.arguments else None


def _ranked(unsure: Unsure, message: Message) -> list[tuple[float, Planned | Ask]]:
    """Returns the options with the similarity of the message's last piece to each, most similar first."""
    options = {option.spec.name: option for option in unsure.options}
    matches = message.pieces[-1].matches if message.pieces else ()
    return [(one.score, options[one.spec.name]) for one in matches if one.spec and one.spec.name in options]


def lists_of(exchange: Exchange | None, specs: Mapping[str, ToolSpec]) -> frozenset[str]:
    """Returns the kinds of things in the results of an exchange, such as "order"."""
    told = {one.call.tool for one in exchange.outcomes} if exchange is not None else set[str]()
    nouns = {_noun(spec) for spec in specs.values()} - {""}
    return frozenset(noun for noun in nouns if any(named_in(noun, tool) for tool in told))


def take_either(decided: Decision, message: Message, told: Collection[str], scene: Scene) -> Decision | None:
    """Returns the question which of two lists the customer means.

    Returns None if there are not two lists, or if the message says which one it means.
    """
    plans = [*decided.calls, *([decided.reply] if isinstance(decided.reply, Ask) else [])]
    if len(told) < 2 or not message.entities.places or len(plans) != 1:
        return None
    (plan,) = plans
    if plan.spec.effect != "write" or _noun(plan.spec) not in told:
        return None
    if any(_says(noun, message.text) for noun in told):
        return None
    alike = [
        spec
        for spec in scene.specs.values()
        if _noun(spec) in told and deed_of(spec) == deed_of(plan.spec) and spec.effect == "write"
    ]
    options = [plan_call(spec, {}, message.text, message.entities, scene.today) for spec in alike]
    return Decision(reply=Unsure(tuple(options))) if len(options) > 1 else None


def named_in_words(spec: ToolSpec, text: str) -> bool:
    """Whether a text names the thing that a tool acts on."""
    noun = _noun(spec)
    return bool(noun) and _says(noun, text)


def _says(noun: str, text: str) -> bool:
    return bool(re.search(rf"\b{re.escape(noun)}s?\b", text))


def _noun(spec: ToolSpec) -> str:
    slot = thing_slot(slots_of(spec))
    return slot.noun if slot is not None else ""
