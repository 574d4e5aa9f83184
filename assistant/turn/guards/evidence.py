"""Whether what a sentence claims or promises is so, by what the conversation can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.prompts.deed_words import Act
from assistant.text.stems import stem
from assistant.turn.guards.grammar import Grammar
from assistant.turn.guards.receipts import Receipt, State
from assistant.turn.guards.said import Said

Fault: TypeAlias = Literal["not_done", "unconfirmed", "failed", "unsure", "partly", "promise", "waiting"]
"""What is wrong with a sentence. ``waiting``: the customer is about to be asked about that very deed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that was done and looked up in a conversation so far.

    ``nouns``: the stems of what tools are about; a claim that names one is not proved by a deed to another.
    ``earlier``: so many of the receipts, the first ones, are of earlier turns.
    """

    receipts: Sequence[Receipt]
    grammar: Grammar
    nouns: frozenset[str]
    earlier: int = 0

    def fault(self, said: Sequence[Said]) -> Fault | None:
        """What is wrong with a sentence that says all this; None: it may be shown."""
        groundless = [one for one in said if not self._holds(one)]
        if not groundless:
            return None
        if all(self._has(one, "waiting") for one in groundless):
            return "waiting"
        if len(groundless) < len([one for one in said if one.kind == "claim"]):
            return "partly"
        if any(one.kind == "claim" and one not in groundless for one in said) and self._did_something():
            # The deed that was done is told by itself; a promise beside it must not take it along.
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
        return "not_done" if worst.by_us else "unconfirmed"

    def _holds(self, said: Said) -> bool:
        if said.kind == "claim" and said.things & self.grammar.all_of_it and self._half_done(said):
            return False
        if self._has(said, "done") or self._all_looked_up(said):
            return True
        if said.kind == "promise":
            return self._has(said, "coming") or self._follows(said) or self._was_read(said)
        return not said.by_us and (self._was_read(said) or self._exists(said))

    def _did_something(self) -> bool:
        turn = self.receipts[self.earlier :]
        return any(one.deeds.effect == "write" and one.state == "done" for one in turn)

    def _half_done(self, said: Said) -> bool:
        """Whether of two such deeds that it speaks of this turn did one, and not the other."""
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
        """Whether "All done!" is said of lookups: this turn had nothing else to do, and did it."""
        turn = self.receipts[self.earlier :]
        return (
            said.kind == "claim"
            and all(act.name == "any" for act in said.acts)
            and not said.things & self.nouns
            and bool(turn)
            and all(one.deeds.effect == "read" and one.state in ("done", "nothing") for one in turn)
        )

    def _has(self, said: Said, state: State) -> bool:
        """Whether a side effect that fits is in this state."""
        return any(
            receipt.state == state and receipt.deeds.effect == "write" and self._fits(said, receipt)
            for receipt in self.receipts
        )

    def _fits(self, said: Said, receipt: Receipt) -> bool:
        does = any(
            act.name == "any" or act.name in receipt.deeds.acts or self._says(receipt, act, said)
            for act in said.acts
        )
        return does and self._same_thing(said, receipt)

    def _same_thing(self, said: Said, receipt: Receipt) -> bool:
        named = said.things & self.nouns
        return not named or bool(named & (receipt.deeds.things | receipt.data))

    def _was_read(self, said: Said) -> bool:
        """Whether the data of some result say so."""
        return any(
            self._says(receipt, act, said) and self._same_thing(said, receipt)
            for receipt in self.receipts
            for act in said.acts
            if receipt.state == "done" or act.name not in receipt.deeds.acts
        )

    def _exists(self, said: Said) -> bool:
        """Whether it may be a fact that stands on record: it was looked up, or nothing speaks against it."""
        acts = {act.name for act in said.acts if act.exists}
        if said.lately or not acts:
            return False
        fit = [receipt for receipt in self.receipts if self._same_thing(said, receipt)]
        looked_up = [receipt for receipt in fit if receipt.deeds.effect == "read" and receipt.state == "done"]
        if any(not receipt.deeds.things & self.grammar.free for receipt in looked_up):
            return True
        return not looked_up and not any(acts & receipt.deeds.acts for receipt in fit)

    def _follows(self, said: Said) -> bool:
        """Whether something was done, or is about to be, that brings this about."""
        return any(
            receipt.state in ("done", "coming")
            and receipt.deeds.effect == "write"
            and by in receipt.deeds.acts
            for receipt in self.receipts
            for act in said.acts
            for by in act.by
        )

    def _says(self, receipt: Receipt, act: Act, said: Said) -> bool:
        """Whether a result's data say that this was done, in one of the ways in which it can be said."""
        return any(proof <= receipt.data for proof in self._proofs(act, said))

    def _proofs(self, act: Act, said: Said) -> frozenset[frozenset[str]]:
        """The stems that say so in data, together: "refunded", or "paid" and "back"."""
        locale = self.grammar.locale
        if act.yours:
            things = frozenset(stem(thing, locale) for thing in act.things) & said.things
            return frozenset(frozenset({thing}) for thing in things)
        english = frozenset(frozenset({stem(word)}) for word in act.seen)
        return english | frozenset(
            frozenset(stem(word, locale) for word in way.split() if word != "...")
            for way in (*act.done, *act.seen)
        )
