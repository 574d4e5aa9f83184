"""The evidence in a conversation for a claim or a promise, and whether it is sufficient."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from assistant.language.words import carries_meaning, stem
from assistant.prompts.words import Act
from assistant.turn.guardrails.call_evidence import RECORD_NUMBER, Receipt, State, ToolDeeds
from assistant.turn.guardrails.grammar import UNLISTED, Grammar, Said

_TO_PEOPLE: Final = frozenset({"forward", "contact", "tell", "ticket", "get"})
"""What follows from a request for a person: that people were informed, and that they will contact the customer."""

_SAME_RULE: Final = 2
"""The minimum number of meaningful words that a sentence shares with the document whose rule it tells."""

_NOT_THERE: Final = stem("unavailable")
"""What the result of a request for a person says outside of working hours."""

_BOTH: Final = frozenset({stem("both"), stem("beide", "de"), stem("beides", "de")})

_ON_RECORD: Final = frozenset({"ship", "book", "order"})
"""Deeds that belong to the normal life cycle of a record that a tool looks up."""


def _reaches_people(deeds: ToolDeeds) -> bool:
    return deeds.role == "hands_over" or (deeds.effect == "write" and "forward" in deeds.acts)


Fault: TypeAlias = Literal["not_done", "unconfirmed", "failed", "unsure", "partly", "promise", "waiting"]
"""What is wrong with a sentence. ``waiting``: the customer will be asked about exactly this deed next."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that was done and looked up in a conversation so far.

    ``nouns``: the stems of the things that tools act on; a deed to another thing does not prove a claim that
    names one. ``earlier``: how many of the first receipts are from earlier turns. ``told_by_customer``: the
    names of the acts that have been done according to the customer; ``told_by_people``: the acts that an agent
    said they have done or will do.
    """

    receipts: Sequence[Receipt]
    grammar: Grammar
    nouns: frozenset[str]
    earlier: int = 0
    told_by_customer: frozenset[str] = frozenset()
    told_by_people: frozenset[str] = frozenset()

    def fault(self, said: Sequence[Said]) -> Fault | None:
        """The fault of a sentence with these claims; None if it may be shown."""
        groundless = [one for one in said if not self._holds(one)]
        if not groundless:
            return None
        if all(self._has(one, "waiting") for one in groundless):
            return "waiting"
        if len(groundless) < len([one for one in said if one.kind == "claim"]):
            return "partly"
        if any(one.kind == "claim" and one not in groundless for one in said) and self.did_something():
            # The sentence also tells the deed that was done; a promise in the same sentence must not remove it.
            return "partly"
        worst = groundless[0]
        if worst.kind == "claim" and self._half_done(worst):
            return "partly"
        if self._has(worst, "unsure"):
            return "unsure"
        if self._has(worst, "failed"):
            return "failed"
        if worst.kind == "promise":
            return "promise"
        return "not_done" if worst.speaker == "i" else "unconfirmed"

    def _holds(self, said: Said) -> bool:
        if said.kind == "claim" and said.things & self.grammar.all_of_it and self._half_done(said):
            return False
        if self._claims_both(said):
            return False
        if self._has(said, "done") or self._all_looked_up(said):
            return True
        if said.value:
            return any(one.has_value(said.value) for one in self._looked_up)
        if said.kind == "claim" and said.speaker != "i" and self._is_state_of_another(said):
            return False
        if self._is_with_people(said) or self._was_delivered(said) or self._is_progress(said):
            return True
        if said.speaker != "i" and any(act.name in self.told_by_people for act in said.acts):
            return True
        if said.speaker != "i" and said.kind == "claim" and self._is_not_free(said):
            return True
        if said.kind == "promise":
            return (
                self._has(said, "coming")
                or self._follows(said)
                or self._was_read(said)
                or self._is_rule(said)
                or self._is_on_record(said)
            )
        if said.speaker == "i":
            return False
        return (
            self._was_read(said)
            or self._exists(said)
            or self._is_on_record(said)
            or (said.rule and self._is_rule(said))
            or any(act.name in self.told_by_customer for act in said.acts)
        )

    def _is_not_free(self, said: Said) -> bool:
        """Whether it says that a time or a place is taken, after a call asked for it."""
        asked = any(one.state in ("done", "nothing", "failed") for one in self.receipts[self.earlier :])
        return asked and said.unlisted and not said.perfect and bool(said.things & self.grammar.not_free)

    def _is_with_people(self, said: Said) -> bool:
        """Whether it follows from a request for a person: people are informed, and will contact the customer."""
        grammar = self.grammar
        asked = [one for one in self.receipts if one.state == "done" and _reaches_people(one.deeds)]
        if said.near and said.kind == "promise":
            asked = [one for one in asked if _NOT_THERE not in one.data]
        if not asked:
            return False
        to_people = bool(said.object & (grammar.messages | grammar.people))
        if said.unlisted:
            return (
                said.speaker == "people" or to_people or (said.speaker in ("i", "other") and not said.object)
            )
        acts = {act.name for act in said.acts}
        if acts & {"ticket", "send"}:
            return to_people
        if acts & {"forward"} or said.speaker == "people":
            return True
        passed_on = bool(said.things & (grammar.messages | grammar.people))
        return bool(acts & _TO_PEOPLE) and (passed_on or to_people or said.kind == "promise")

    def _is_progress(self, said: Said) -> bool:
        """Whether it gives the progress of a running call, in the numbers and the unit that the call reported."""
        numbers = {int(one) for one in said.things if one.isdecimal()}
        named = frozenset(one for one in said.object if not one.isdecimal())
        return said.kind == "claim" and any(
            one.done in numbers
            and numbers <= {one.done, one.total}
            and (
                not named
                or bool(said.things & {stem(word, self.grammar.locale) for word in one.unit.split()})
            )
            and all(act.name in {"any", UNLISTED} | receipt.deeds.acts for act in said.acts)
            for receipt in self.receipts
            if (one := receipt.progress) is not None
        )

    def _was_delivered(self, said: Said) -> bool:
        """Whether it is about a picture or a file that came with a result."""
        acts = {act.name for act in said.acts}
        return (said.unlisted or bool(acts & {"send", "add"})) and any(
            one.media and said.object & (one.deeds.things | self.grammar.media) for one in self.receipts
        )

    def _is_rule(self, said: Said) -> bool:
        """Whether it tells how the company does things, as its documents say, and no current action."""
        if said.speaker == "i" or said.near:
            return False
        rules = [one.rules for one in self.receipts if one.rules]
        if self.grammar.locale != "en" and rules:
            # The documents may be in another language, and then they do not contain the sentence's words.
            return not any(act.name in _TO_PEOPLE - {"get"} for act in said.acts)
        telling = self._telling(said)
        return any(one & said.object or len(one & telling) >= _SAME_RULE for one in rules)

    def _telling(self, said: Said) -> frozenset[str]:
        return frozenset(
            one for one in said.things if one[0].isalpha() and carries_meaning(one, self.grammar.locale)
        )

    def _is_on_record(self, said: Said) -> bool:
        """Whether it may be the recorded state of a thing that was looked up, told in the passive or with an
        unlisted verb.
        """
        if said.speaker == "i" or said.lately or (said.near and (said.to_you or said.kind == "claim")):
            return False
        if said.speaker == "people" and said.kind == "promise":
            return False
        if said.object & (self.grammar.messages | self.grammar.media):
            # A copy, or a message, is no record.
            return False
        acts = {act.name for act in said.acts}
        # "Die Brille wird bearbeitet" is the present state, and no promise as "will be" is.
        in_progress = bool(self.grammar.span and said.object) and said.kind == "promise" and acts == {"any"}
        if not (said.unlisted or acts & _ON_RECORD or in_progress) or (said.speaker == "we" and said.to_you):
            return False
        changed = self._verbs(said) if said.unlisted and said.perfect else frozenset[str]()
        return any(
            not one.deeds.things & self.grammar.free
            and ((said.past and said.unlisted) or self._names(said, one))
            and (not changed or changed & (one.data | one.names))
            for one in self._looked_up
        )

    @property
    def _looked_up(self) -> Iterator[Receipt]:
        return (
            one
            for one in self.receipts
            if one.deeds.effect == "read"
            and one.state == "done"
            and not one.rules
            and one.deeds.role != "hands_over"
        )

    def _names(self, said: Said, receipt: Receipt) -> bool:
        """Whether the claim's object is the subject of the call. "It" and a word in another language always
        match.
        """
        if not said.object or not receipt.spoken or receipt.is_about(said.object):
            return True
        # "The payment plan for invoice 2041 is set up" makes no claim about the invoice itself.
        words = said.object if said.unlisted else said.things
        numbers = frozenset(one for one in words if RECORD_NUMBER.fullmatch(one))
        return receipt.is_about(numbers)

    def did_something(self) -> bool:
        """Whether a side effect of this turn was done."""
        turn = self.receipts[self.earlier :]
        return any(one.deeds.effect == "write" and one.state == "done" for one in turn)

    def _half_done(self, said: Said) -> bool:
        """Whether this turn did one of two such deeds and failed at another, and the sentence speaks of both."""
        acts = {act.name for act in said.acts}
        such = [
            receipt
            for receipt in self.receipts[self.earlier :]
            if receipt.deeds.effect == "write" and (acts & receipt.deeds.acts or "any" in acts)
        ]
        done = [receipt for receipt in such if receipt.state == "done"]
        if not done or not any(one.state in ("failed", "unsure", "nothing") for one in such):
            return False
        named = said.things - self._verbs(said)
        both = bool(said.things & self.grammar.all_of_it)
        return both or any(named & (receipt.deeds.things | receipt.data) for receipt in done)

    def _verbs(self, said: Said) -> frozenset[str]:
        phrases = (phrase for act in said.acts for phrase in (*act.do, *act.done, *act.doing))
        return frozenset(stem(word, self.grammar.locale) for phrase in phrases for word in phrase.split())

    def _all_looked_up(self, said: Said) -> bool:
        """Whether "All done!" refers to lookups: this turn had only lookups, and all have ended."""
        turn = self.receipts[self.earlier :]
        return (
            said.kind == "claim"
            and all(act.name == "any" for act in said.acts)
            and not said.object
            and said.speaker == "other"
            and not said.to_you
            and bool(turn)
            and all(one.deeds.effect == "read" and one.state in ("done", "nothing") for one in turn)
        )

    def _has(self, said: Said, state: State) -> bool:
        """Whether a matching side effect is in this state."""
        return any(True for _ in self._fitting(said, state))

    def _fitting(self, said: Said, state: State) -> Iterator[Receipt]:
        return (
            receipt
            for receipt in self.receipts
            if receipt.state == state and receipt.deeds.effect == "write" and self._fits(said, receipt)
        )

    def _claims_both(self, said: Said) -> bool:
        """Whether the sentence speaks of both, and only one thing was done."""
        if said.kind != "claim" or said.things.isdisjoint(_BOTH):
            return False
        return sum(one.parts for one in self._fitting(said, "done")) == 1

    def _fits(self, said: Said, receipt: Receipt) -> bool:
        if said.unlisted:
            return self._same_object(said, receipt)
        does = any(
            act.name == "any" or act.name in receipt.deeds.acts or self._says(receipt, act, said)
            for act in said.acts
        )
        by_noun = said.kind == "claim" and bool(said.object & receipt.deeds.verbs)
        return by_noun or (does and self._same_thing(said, receipt))

    def _same_object(self, said: Said, receipt: Receipt) -> bool:
        """Whether the object of an unlisted verb is the subject of this call."""
        return not said.object or receipt.is_about(said.object)

    def _is_of_another(self, said: Said, receipt: Receipt) -> bool:
        """Whether the claim has the word of a field that another side effect has there, and not this one's word:
        breakfast was added to the single room, and the late check-out was for the double room.
        """
        return any(
            said.things & (other.fields[key] - own) and not said.things & (own - other.fields[key])
            for other in self.receipts
            if other is not receipt and other.deeds.effect == "write"
            for key, own in receipt.fields.items()
            if key in other.fields
        )

    def _same_thing(self, said: Said, receipt: Receipt) -> bool:
        """Whether the claim is about this call's subject, and about nothing that only another call was about."""
        if said.kind == "claim" and self._is_of_another(said, receipt):
            return False
        named = (said.things if said.speaker != "other" else said.object or said.things) & self.nouns
        if named and not receipt.is_about(named):
            return False
        if said.also and said.object:
            numbers = {one for one in said.object if one.isdecimal()}
            return numbers <= (receipt.data | receipt.names) and receipt.is_about(said.object)
        return receipt.is_about(said.object) or not any(one.names & said.object for one in self.receipts)

    def _is_state_of_another(self, said: Said) -> bool:
        """Whether the claimed state is that of another row of a list than the row that the claim names."""
        named = said.object | frozenset(one for one in said.things if one.isdecimal())
        proofs = [
            proof for act in said.acts for proof in (*self._proofs(act, said), frozenset({stem(act.name)}))
        ]

        def is_so(row: frozenset[str]) -> bool:
            return any(proof <= row for proof in proofs)

        for receipt in self._looked_up if named else ():
            rows = receipt.rows(self.grammar)
            own = [row for row in rows if named & row]
            if 0 < len(own) < len(rows) and not any(map(is_so, own)) and any(map(is_so, rows)):
                return True
        return False

    def _was_read(self, said: Said) -> bool:
        """Whether the data of a result state the claim."""
        return not said.no_longer and any(
            self._says(receipt, act, said) and self._same_thing(said, receipt)
            for receipt in self.receipts
            for act in said.acts
            if receipt.state == "done" or act.name not in receipt.deeds.acts
            if act.yours or not act.things or self._named_in(act, said) & receipt.data
            if said.speaker != "other"
            or act.yours
            or self.grammar.locale != "en"
            or self._names(said, receipt)
        )

    def _named_in(self, act: Act, said: Said) -> frozenset[str]:
        """The things in the claim that give a verb with several meanings the meaning of this act."""
        return frozenset(stem(thing, self.grammar.locale) for thing in act.things) & said.things

    def _exists(self, said: Said) -> bool:
        """Whether it may be a recorded fact about something that was looked up."""
        if said.lately or said.near or not any(act.exists for act in said.acts):
            return False
        changed = (one for one in self.receipts if one.deeds.effect == "write" and one.state == "done")
        if said.object and any(one.is_about(said.object) for one in changed):
            return True
        return any(
            self._names(said, one) and self._same_thing(said, one)
            for one in self._looked_up
            if not one.deeds.things & self.grammar.free or (said.object and not said.to_you)
        )

    def _follows(self, said: Said) -> bool:
        """Whether this deed follows from a side effect that was done, or that the reply has named."""
        return any(
            receipt.state in ("done", "coming")
            and receipt.deeds.effect == "write"
            and by in receipt.deeds.acts
            for receipt in self.receipts
            for act in said.acts
            for by in act.by
        )

    def _says(self, receipt: Receipt, act: Act, said: Said) -> bool:
        """Whether a result's data state that this was done, in one of the possible wordings."""
        return any(proof <= receipt.data for proof in self._proofs(act, said))

    def _proofs(self, act: Act, said: Said) -> frozenset[frozenset[str]]:
        """The sets of stems of which one set together states it in data: "refunded", or "paid" and "back"."""
        locale = self.grammar.locale
        if act.yours:
            things = frozenset(stem(thing, locale) for thing in act.things) & said.things
            return frozenset(frozenset({thing}) for thing in things)
        english = frozenset(frozenset({stem(word)}) for word in act.seen)
        return english | frozenset(
            frozenset(stem(word, locale) for word in way.split() if word != "...")
            for way in (*act.done, *act.seen)
        )
