"""Chooses the guardrails for a model's text, and gives them the facts of the turn that they need."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from assistant.conversation.calls import Call
from assistant.conversation.documents import LOAD_IN_FULL, SEARCH_DOCUMENTS
from assistant.conversation.entries import TALK_TO_A_PERSON, GuardrailName
from assistant.conversation.outcomes import CallEmpty, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import TurnState
from assistant.errors import PromptError
from assistant.language.facts import Value, values_of
from assistant.language.sentences import sentences
from assistant.language.words import carries_meaning, stem, words
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import Groundless, Unproved
from assistant.prompts.narration import Narration
from assistant.prompts.words import Act
from assistant.turn.confirmation_rules import cleared_calls, untrusted_in_view
from assistant.turn.context import RunningTurn, TurnDependencies, rules_for
from assistant.turn.guardrails.call_evidence import (
    NO_DEEDS,
    Receipt,
    State,
    ToolDeeds,
    receipt_of,
    receipts_of_pending,
    tool_deeds,
)
from assistant.turn.guardrails.claims import Claims, Patience
from assistant.turn.guardrails.deeds import deeds_said
from assistant.turn.guardrails.evidence import Evidence
from assistant.turn.guardrails.fact_evidence import TurnFactEvidence
from assistant.turn.guardrails.facts import Facts
from assistant.turn.guardrails.grammar import Grammar, Said, Same, grammar_of
from assistant.turn.guardrails.guardrail import NamedGuardrail, works_in
from assistant.turn.guardrails.repetition import NoRepetition, NotHeardBefore
from assistant.turn.waiting_voice import is_waiting_message


def guardrails_for(
    turn: RunningTurn, parts: TurnDependencies, claims: Claims, heard_before: Sequence[str] = ()
) -> Sequence[NamedGuardrail]:
    """New guardrails for one message of a model. The turn's first text cannot repeat anything.

    ``heard_before``: what the customer heard of answers that this message continues.
    """
    guardrails = [NamedGuardrail("claims", claims)]
    if heard_before:
        guardrails.append(NamedGuardrail("repetition", NotHeardBefore(heard_before, turn.locale)))
    if works_in("repetition", parts.book, turn.locale) and (told := _told(turn, parts)):
        repetition = parts.book.words(turn.locale).repetition
        guardrails.append(
            NamedGuardrail(
                "repetition", NoRepetition(told, cache(lambda: _known(turn)), repetition, turn.locale)
            )
        )
    # The last guardrail: it need not prove text that the others hold back.
    if works_in("facts", parts.book, turn.locale):
        facts = Facts(
            lambda: TurnFactEvidence(turn, parts, lambda tool: _proof(turn, parts).deeds_of(tool).things),
            turn.locale,
            asks_again=True,
            whole=claims.patience == "last",
        )
        guardrails.append(NamedGuardrail("facts", facts))
    return guardrails


def _told(turn: RunningTurn, parts: TurnDependencies) -> Sequence[str]:
    """The texts that the customer has received in this turn, which need no repetition.

    "I've cancelled it" is news after "I'll cancel it". So if there is a side effect, only the lookups' hints
    count.
    """
    specs = [parts.tools.get(call.tool).spec for call in turn.state.calls if call.tool in parts.tools]
    if all(spec.effect == "read" for spec in specs):
        closed = [one for one in turn.state.messages if one.kind is not None and one.text.strip()]
        # A running lookup announces nothing: its result is news, in any words.
        said = [one.text for one in closed if not is_waiting_message(one)]
        # The name of a lookup also says what it is about: "invoices" where its hint says "billing".
        return [*said, *(spec.name.replace("_", " ") for spec in specs)] if said else []
    hints = [spec.own_hint(turn.locale) for spec in specs if spec.effect == "read"]
    return [hint.will for hint in hints if hint is not None]


def _known(turn: RunningTurn) -> frozenset[Value]:
    found = (outcome.value for outcome in turn.state.results if isinstance(outcome, CallSucceeded))
    return frozenset(chain.from_iterable(values_of(value, turn.locale) for value in found))


def _proof(turn: RunningTurn, parts: TurnDependencies) -> "Proof":
    receipts = turn.views.receipts.setdefault(turn.locale, {})
    return Proof(parts.tools.specs, parts.book, turn.locale, receipts)


def claims_in(turn: RunningTurn, parts: TurnDependencies, patience: Patience = "none") -> Claims:
    """The guardrail for claims in one message of this turn, in the customer's language."""
    proof = _proof(turn, parts)

    def evidence(named: Sequence[str]) -> Evidence:
        coming = [Receipt(proof.deeds_of(tool), _named(tool, turn, parts)) for tool in named]
        return proof.evidence(turn.state, turn.conversation.turns, coming)

    def enough(left: str, dropped: Sequence[Said]) -> bool:
        return answers_without(left, dropped, turn.state, proof)

    return Claims(proof.grammar, proof.own, evidence, enough, patience=patience)


def about_refused(
    refused: Mapping[GuardrailName, str], shown: str, parts: TurnDependencies, *, may_call: bool
) -> str:
    """The note for a model whose text guardrails refused; ``shown`` is the part of its reply that the customer
    has seen.
    """
    about = [parts.book.render(Unproved(said=said)) for guard, said in refused.items() if guard == "facts"]
    deeds = " ".join(said for guard, said in refused.items() if guard != "facts")
    if deeds or not about:
        about.append(parts.book.render(Groundless(said=deeds, shown=shown, may_call=may_call)))
    elif shown:
        about = [parts.book.render(Unproved(said=refused["facts"], shown=shown))]
    return "\n\n".join(about)


def _named(tool: str, turn: RunningTurn, parts: TurnDependencies) -> State:
    """The state of a call that has only been named: it will run, or the customer will be asked about it first."""
    if tool not in parts.tools or any(call.tool == tool for call in cleared_calls(turn.state, turn.earlier)):
        return "coming"
    untrusted = untrusted_in_view(turn, turn.state.latest_round, parts)
    asks = parts.needs_confirmation(parts.tools.get(tool).spec, untrusted=untrusted)
    asks = asks or any(rule.confirm for rule in rules_for(tool, turn, parts))
    return "waiting" if asks else "coming"


_BUILT_IN: Final[Mapping[str, ToolDeeds]] = {
    TALK_TO_A_PERSON: replace(NO_DEEDS, role="hands_over"),
    SEARCH_DOCUMENTS: replace(NO_DEEDS, role="searches"),
    LOAD_IN_FULL: replace(NO_DEEDS, role="loads"),
}
"""The deeds of our own tools, for readers of a log that have no tools."""


class _ToolLanguage:
    """What tools do, in the words of one language: the same for all conversations with these tools.

    Attributes:
        own: the tools' verbs that are in no list.
        nouns: the stems of the things that tools with side effects act on.
    """

    def __init__(self, specs: Sequence[ToolSpec], book: PromptBook, locale: str) -> None:
        self.grammar = grammar_of(book.words(locale).deeds, locale)
        english = grammar_of(book.words("en").deeds, "en")
        self.narration = Narration(book)
        self.specs: Mapping[str, ToolSpec] = {spec.name: spec for spec in specs}
        self.deeds = {spec.name: _deeds(Same(spec), self.grammar, english) for spec in specs}
        self.own: Mapping[str, Act] = {
            verb: act for deeds in self.deeds.values() for verb, act in deeds.own.items()
        }
        self.nouns = frozenset[str]().union(
            *(deeds.things for deeds in self.deeds.values() if deeds.effect == "write")
        )


@lru_cache(maxsize=1024)
def _deeds(spec: Same[ToolSpec], grammar: Grammar, english: Grammar) -> ToolDeeds:
    return tool_deeds(spec.it, grammar, english)


@lru_cache(maxsize=64)
def _tool_language(specs: Same[Sequence[ToolSpec]], book: Same[PromptBook], locale: str) -> _ToolLanguage:
    return _ToolLanguage(specs.it, book.it, locale)


class Proof:
    """The deeds of these tools in one language, and the evidence of a conversation: pure functions of its turns.

    Args:
        receipts: the evidence of the calls of this conversation, by turn and call, cached between messages.
    """

    def __init__(
        self,
        specs: Sequence[ToolSpec],
        book: PromptBook,
        locale: str,
        receipts: dict[tuple[str, str], Receipt] | None = None,
    ) -> None:
        self.locale = book.locale_for(locale, "en")
        self._tools = _tool_language(Same(specs), Same(book), self.locale)
        self.grammar, self.own = self._tools.grammar, self._tools.own
        self._receipts: dict[tuple[str, str], Receipt] = {} if receipts is None else receipts

    def evidence(
        self, now: TurnState, turns: Sequence[TurnState], coming: Sequence[Receipt] = ()
    ) -> Evidence:
        """All evidence of this turn and the turns before it. ``coming`` has the calls that the reply has named.

        It is computed at each use, because calls end while a model speaks.
        """
        earlier = [turn for turn in turns if turn.began < now.began]
        waiting = [Receipt(self.deeds_of(call.tool), "waiting") for call in now.waiting_calls]
        pending = [
            receipt
            for turn in (*earlier, now)
            if turn.pending
            for call in turn.calls
            if turn.is_pending(call)
            for receipt in receipts_of_pending(self.deeds_of(call.tool), turn.progress_of(call.id))
        ]
        clauses = [each for turn in (*earlier, now) for each in _clauses_of(turn)]
        return self.gathered(
            [self._receipt(turn, one, clauses) for turn in earlier for one in turn.outcomes.values()],
            [self._receipt(now, one, clauses) for one in now.outcomes.values()],
            [*waiting, *pending, *coming],
            now.message.text,
            [remark.text for turn in (*earlier, now) for remark in turn.before if remark.name],
        )

    def gathered(
        self,
        earlier: Sequence[Receipt],
        ended: Sequence[Receipt],
        others: Sequence[Receipt],
        message: str,
        remarks: Sequence[str] = (),
    ) -> Evidence:
        """The evidence of these receipts: of earlier turns, of calls that ended in this one, and of running
        calls.

        ``remarks``: what agents have said in the conversation.
        """
        return Evidence(
            [*earlier, *ended, *others],
            self.grammar,
            self._tools.nouns,
            len(earlier),
            frozenset(
                act.name
                for one in self._said_in(message)
                if one.kind == "claim" and one.speaker not in ("i", "we")
                for act in one.acts
            ),
            frozenset(act.name for remark in remarks for one in self._said_in(remark) for act in one.acts),
        )

    def receipt(self, outcome: Outcome, clause: str = "") -> Receipt:
        """The evidence of a call's outcome. ``clause``: how the question named the call that the customer
        agreed to.
        """
        spec = self._tools.specs.get(outcome.call.tool)
        told, spoken = "", ""
        if isinstance(outcome, CallSucceeded) and spec is not None:
            told, spoken = self._narrated(outcome, spec)
        return receipt_of(
            outcome,
            self.deeds_of(outcome.call.tool),
            self.grammar,
            f"{clause} {told}".strip(),
            spoken=bool(clause) or self.locale == "en" or spoken == self.locale,
        )

    def _narrated(self, outcome: CallSucceeded, spec: ToolSpec) -> tuple[str, str]:
        """A result in the words of the tool's own template, and their language; "" if there are none."""
        own = spec.narration_in(self.locale)
        if own is None:
            return "", ""
        locale, template = own
        try:
            told = self._tools.narration.render(
                template, value=outcome.value, arguments=outcome.call.arguments, locale=locale
            )
        except PromptError:
            return "", ""
        return told, locale

    def groundless(self, text: str, now: TurnState, turns: Sequence[TurnState]) -> list[str]:
        """The sentences of an answer of this turn whose claims or promises have no evidence."""
        evidence = self.evidence(now, turns)
        found: list[str] = []
        asked = False
        for sentence in sentences(text, self.locale):
            said = deeds_said(sentence, self.grammar, self.own, after_question=asked)
            if said and evidence.fault(said) is not None:
                found.append(sentence.strip())
            asked = sentence.rstrip().endswith("?")
        return found

    def deeds_of(self, tool: str) -> ToolDeeds:
        """What a tool does."""
        return self._tools.deeds.get(tool) or _BUILT_IN.get(tool, NO_DEEDS)

    def _receipt(self, turn: TurnState, outcome: Outcome, clauses: Sequence[tuple[Call, str]]) -> Receipt:
        key = (turn.id, outcome.call.id)
        if key not in self._receipts:
            called = outcome.call
            named = [
                clause
                for call, clause in clauses
                if call.tool == called.tool and call.arguments == called.arguments
            ]
            self._receipts[key] = self.receipt(outcome, named[-1] if named else "")
        return self._receipts[key]

    def _said_in(self, text: str) -> Iterator[Said]:
        """The deeds in another person's text, with listed verbs: "my order was cancelled"."""
        for sentence in sentences(text, self.locale):
            yield from (one for one in deeds_said(sentence, self.grammar, self.own) if not one.unlisted)


def _clauses_of(turn: TurnState) -> Sequence[tuple[Call, str]]:
    """The calls in the questions of this turn, each with its clause of the question."""
    return list(zip(turn.asked.calls, turn.asked.clauses, strict=False)) if turn.asked is not None else []


_SAYS_SOMETHING: Final = 2
"""The minimum number of meaningful words in a sentence with content."""


def says_something(text: str, locale: str) -> bool:
    """Whether a sentence has content: "Sure!" and questions have none."""
    return any(
        sum(carries_meaning(word, locale) for word in words(sentence)) >= _SAYS_SOMETHING
        for sentence in sentences(text, locale)
        if not sentence.rstrip().endswith("?")
    )


def answers_without(left: str, dropped: Sequence[Said], turn: TurnState, proof: Proof) -> bool:
    """Whether the rest of a reply still answers the customer: it has content, the customer did not ask for the
    dropped deed, and no side effect of this turn failed.
    """
    locale = proof.locale
    asked = {stem(word, locale) for word in words(turn.message.text)}
    deeds = {
        stem(form, locale) for one in dropped for act in one.acts for form in (*act.do, *act.done, *act.doing)
    }
    undone = any(
        proof.deeds_of(one.call.tool).effect == "write" and not isinstance(one, CallSucceeded | CallEmpty)
        for one in turn.results
    )
    return says_something(left, locale) and bool(turn.outcomes) and not (asked & deeds) and not undone
