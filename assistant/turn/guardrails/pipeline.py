"""Which guardrails a model's words go through, and what they know of the turn."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.prompts.deed_words import Act
from assistant.prompts.utterances import Correction
from assistant.text.values import Value, values_of
from assistant.turn.guardrails.claims import Patience, SayDo
from assistant.turn.guardrails.evidence import (
    Evidence,
    Fault,
    Receipt,
    State,
    ToolDeeds,
    receipt_of,
    receipt_of_pending,
    tool_deeds,
)
from assistant.turn.guardrails.grammar import Grammar, Same, grammar_of
from assistant.turn.guardrails.guardrail import NamedGuardrail
from assistant.turn.guardrails.repetition import NoRepetition, NotHeardBefore
from assistant.turn.parts import Parts
from assistant.turn.plan.agreed import cleared_calls
from assistant.turn.running_turn import RunningTurn
from assistant.turn.untrusted import untrusted_in_view
from assistant.turn.waiting.own_message import is_own


def guardrails_for(
    turn: RunningTurn, parts: Parts, deeds: SayDo, heard_before: Sequence[str] = ()
) -> Sequence[NamedGuardrail]:
    """Fresh guards for one message of a model; nothing is repeated in the turn's first words.

    ``heard_before``: what was heard of answers that this message goes on with.
    """
    guards = [NamedGuardrail("say_do", deeds)]
    if heard_before:
        guards.append(NamedGuardrail("repetition", NotHeardBefore(heard_before, turn.locale)))
    if told := _told(turn, parts):
        repetition = parts.book.words(turn.locale).repetition
        guards.append(
            NamedGuardrail("repetition", NoRepetition(told, lambda: _known(turn), repetition, turn.locale))
        )
    return guards


def _told(turn: RunningTurn, parts: Parts) -> Sequence[str]:
    """What the customer has been told in this turn, and need not be told again.

    "I've cancelled it" is news after "I'll cancel it": beside a side effect only the lookups' hints count.
    """
    specs = [parts.tools.get(call.tool).spec for call in turn.state.calls if call.tool in parts.tools]
    if all(spec.effect == "read" for spec in specs):
        closed = [said for said in turn.state.messages if said.kind is not None and said.text.strip()]
        # That a lookup still runs announces nothing: what comes of it is news, in whichever words.
        return [said.text for said in closed if not is_own(said)]
    hints = [spec.own_hint(turn.locale) for spec in specs if spec.effect == "read"]
    return [hint.will for hint in hints if hint is not None]


def _known(turn: RunningTurn) -> frozenset[Value]:
    found = (outcome.value for outcome in turn.state.results if isinstance(outcome, CallSucceeded))
    return frozenset(chain.from_iterable(values_of(value, turn.locale) for value in found))


def say_do(turn: RunningTurn, parts: Parts, patience: Patience = "none") -> SayDo:
    """The guard for one message of this turn, in the language of the customer's message."""
    locale = parts.book.locale_for(turn.locale, "en")
    grammar = grammar_of(parts.book.words(locale).deeds, locale)
    proof = _Proof(turn, parts, grammar)

    def correct(fault: Fault, shown: bool) -> str:
        if fault == "waiting":
            return ""
        corrected = parts.book.render(Correction(reason=fault, shown=shown), turn.locale)
        if fault != "partly":
            return corrected
        # What was done must not be lost with the claim that all of it was.
        told = _deeds_told(turn, parts)
        return told if told and not shown else f"{corrected} {told}".rstrip()

    return SayDo(grammar, proof.own, proof.evidence, correct, patience=patience)


def _deeds_told(turn: RunningTurn, parts: Parts) -> str:
    """What came of this turn's side effects, in the tools' own words; "" where there was none."""
    specs = {spec.name: spec for spec in parts.tools.specs}
    ended = turn.state.results
    writes = [one for one in ended if one.call.tool in specs and specs[one.call.tool].effect == "write"]
    return parts.narrate(writes, specs, turn.locale) if writes else ""


_NO_DEEDS = ToolDeeds("read", frozenset(), frozenset())


class _Proof:
    """Gathered anew whenever it is asked for: calls end while a model speaks."""

    def __init__(self, turn: RunningTurn, parts: Parts, grammar: Grammar) -> None:
        self._turn, self._parts, self._grammar = turn, parts, grammar
        english = grammar_of(parts.book.words("en").deeds, "en")
        self._deeds: Mapping[str, ToolDeeds] = {
            spec.name: _deeds(Same(spec), grammar, english) for spec in parts.tools.specs
        }
        self._receipts: dict[tuple[str, str], Receipt] = {}
        self.own: Mapping[str, Act] = {
            verb: act for deeds in self._deeds.values() for verb, act in deeds.own.items()
        }

    def evidence(self, named: Sequence[str]) -> Evidence:
        """Everything up to now; ``named``: the tools that the reply calls after its words."""
        state = self._turn.state
        receipts = [
            self._receipt(turn.id, outcome)
            for turn in self._turn.earlier
            for outcome in turn.outcomes.values()
        ]
        earlier = len(receipts)
        receipts += [self._receipt(state.id, outcome) for outcome in state.outcomes.values()]
        receipts += [Receipt(self._of(call.tool), "waiting") for call in state.waiting_calls]
        receipts += [
            receipt_of_pending(self._of(call.tool))
            for turn in self._turn.conversation.turns
            if turn.pending
            for call in turn.calls
            if turn.is_pending(call)
        ]
        receipts += [Receipt(self._of(tool), self._named(tool)) for tool in named]
        nouns = frozenset[str]().union(*(deeds.things for deeds in self._deeds.values()))
        return Evidence(receipts, self._grammar, nouns, earlier)

    def _receipt(self, turn: str, outcome: Outcome) -> Receipt:
        key = (turn, outcome.call.id)
        if key not in self._receipts:
            self._receipts[key] = receipt_of(outcome, self._of(outcome.call.tool), self._grammar)
        return self._receipts[key]

    def _named(self, tool: str) -> State:
        """How far a call is that has only been named: it comes, or the customer will be asked about it first."""
        turn, parts = self._turn, self._parts
        if tool not in parts.tools or any(
            call.tool == tool for call in cleared_calls(turn.state, turn.earlier)
        ):
            return "coming"
        untrusted = untrusted_in_view(turn, turn.state.latest_round, parts)
        asks = parts.needs_confirmation(parts.tools.get(tool).spec, untrusted=untrusted)
        return "waiting" if asks else "coming"

    def _of(self, tool: str) -> ToolDeeds:
        return self._deeds.get(tool, _NO_DEEDS)


@lru_cache(maxsize=1024)
def _deeds(spec: Same[ToolSpec], grammar: Grammar, english: Grammar) -> ToolDeeds:
    return tool_deeds(spec.it, grammar, english)
