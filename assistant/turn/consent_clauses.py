"""Cuts an answer to a read-back into clauses, and reads what each says of the things that were asked about.

A clause names things, has a polarity (do it, or do not), both, or neither. A clause that is none of these may be a
remark, see :mod:`assistant.turn.consent_remarks`. Everything else is not accounted for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from assistant.prompts.words import ConsentWords
from assistant.turn.consent_remarks import Remark
from assistant.turn.consent_tokens import Token
from assistant.turn.question import Question

Polarity: TypeAlias = Literal["do", "leave"]

_ACCOUNTED: Final = frozenset("FsJYyPpvVANXEORTqL")
_DENIES: Final = frozenset("NXE")
_NEUTRAL: Final = frozenset("FsJTPL")


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of an answer. ``ends_sentence``: a full stop follows; ``joined``: "and" goes before it."""

    tokens: tuple[Token, ...]
    ends_sentence: bool = False
    joined: bool = False

    @property
    def signs(self) -> str:
        """The signs of its tokens."""
        return "".join(token.sign for token in self.tokens)

    @property
    def is_accounted_for(self) -> bool:
        """Whether every word of it is known to the question or to the lists."""
        return all(sign in _ACCOUNTED for sign in self.signs)


def clauses_of(tokens: Sequence[Token], words: ConsentWords) -> Iterator[Clause]:
    """The clauses: what marks and conjunctions part; where a word is unknown, also what a yes or an order parts."""
    stretch: list[Token] = []
    joined = False
    for token in (*tokens, Token(".", ".")):
        if token.sign not in ",.BJK":
            stretch.append(token)
            continue
        ends = token.sign == "."
        pieces = list(_pieces(stretch, words)) if stretch else []
        for n, piece in enumerate(pieces):
            yield Clause(tuple(piece), ends_sentence=ends and n == len(pieces) - 1, joined=joined and n == 0)
        joined = token.sign == "J"
        stretch = []


def _pieces(stretch: list[Token], words: ConsentWords) -> Iterator[list[Token]]:
    """A yes in front of a denial is one of its own; around unknown words, so is each yes and a closing order."""
    signs = [token.sign for token in stretch]
    if Clause(tuple(stretch)).is_accounted_for:
        first = next((n for n, sign in enumerate(signs) if sign not in _NEUTRAL), 0)
        if signs[first : first + 1] == ["Y"] and set(signs[first + 1 : first + 2]) & _DENIES:
            yield stretch[: first + 1]
            yield stretch[first + 1 :]
        else:
            yield stretch
        return
    piece: list[Token] = []
    for n, token in enumerate(stretch):
        begins = _begins_an_order(stretch, n, words) or _begins_a_conclusion(stretch, n, words)
        if token.sign == "Y" or begins or _begins_a_statement(piece, token, words):
            if piece:
                yield piece
            piece = []
        if token.sign == "Y":
            yield [token]
        else:
            piece.append(token)
    if piece:
        yield piece


def _begins_a_conclusion(stretch: Sequence[Token], place: int, words: ConsentWords) -> bool:
    """Whether "so" or "then" leads to an answer: "I have the flu so cancel it"."""
    rest = stretch[place + 1 :]
    if not place or not words.plans.is_one(stretch[place].text):
        return False
    return any(token.sign in "YV" for token in rest) and all(token.sign in _ACCOUNTED for token in rest)


def _begins_a_statement(before: Sequence[Token], token: Token, words: ConsentWords) -> bool:
    """Whether a reason follows an answer without a pause: "cancel both I lost my job"."""
    if not before or not words.starts.begins(token.text):
        return False
    signs = {one.sign for one in before}
    complete = "A" in signs or ("V" in signs and any(words.pronouns.is_one(one.text) for one in before))
    return complete and all(sign in _ACCOUNTED for sign in signs)


def _begins_an_order(stretch: Sequence[Token], place: int, words: ConsentWords) -> bool:
    """Whether an order such as "cancel it" is the rest of the stretch, and no part of a statement."""
    rest = stretch[place:]
    if stretch[place].sign != "V" or len(rest) < 2:
        return False
    if words.verb_last and not words.formal_you.is_one(rest[1].text):
        return False
    if any(token.sign not in "VpvAFsyY" for token in rest):
        return False
    before = stretch[place - 1] if place else None
    if before is None:
        return False
    last = before.text.split()[-1] if before.text.split() else ""
    binds = any(phrases.is_one(last) for phrases in (words.subject, words.asks, words.goal))
    return not binds and before.sign not in "NXEHCW"


@dataclass(frozen=True, slots=True)
class Named:
    """Things of a clause, and what it says of them; None where it says nothing."""

    places: frozenset[int]
    polarity: Polarity | None


@dataclass(frozen=True, slots=True)
class Saying:
    """What a clause says.

    ``named``: things by their places. ``polarity``: that of a clause that names none. ``clear``: it agrees and does
    not only understand. ``only``: and nothing but these. ``others``: it is said of what other clauses leave over.
    """

    named: tuple[Named, ...] = ()
    polarity: Polarity | None = None
    clear: bool = False
    only: bool = False
    others: bool = False
    by_place: bool = False
    ends_sentence: bool = False
    joined: bool = False


def saying_of(clause: Clause, question: Question, words: ConsentWords) -> Saying | None:
    """What a clause says whose words are all accounted for; None if it contradicts itself."""
    if _is_told_of_others(clause, words) or (question.ends and _approves_of_the_thing(clause, words)):
        return None
    runs = list(_runs(clause, question))
    if question.only_ends and any(words.plans.is_one(token.text) for token in clause.tokens):
        signs = set(clause.signs)
        if signs & set("pv") and not signs & set("VY"):
            return None  # "Then on Tuesday" is no order to cancel.
    things = [run for run in runs if isinstance(run, frozenset)]
    said = [run for run in runs if isinstance(run, str)]
    signs = clause.signs
    base = Saying(
        clear="Y" in signs or "V" in signs,
        only="O" in signs,
        others="R" in signs,
        by_place=all(
            any(token.text in phrases for phrases in (*words.ordinals, words.last))
            for token in clause.tokens
            if token.sign == "p"
        ),
        ends_sentence=clause.ends_sentence,
        joined=clause.joined,
    )
    if len(things) > 1 and len(said) > 1:
        pairs = _paired(runs)
        return replace(base, named=pairs) if pairs is not None else None
    if "+" in said and "-" in said:
        return None
    polarity: Polarity | None = "leave" if "-" in said else "do" if said else None
    if "A" in signs and things and polarity == "leave":
        # "Everything except the order".
        return replace(base, named=(Named(frozenset[int]().union(*things), "leave"),), polarity="do")
    if "A" in signs and "O" in signs:
        return None  # "Just everything" is said in irony.
    if "A" in signs:
        things, polarity = [question.everything], polarity or "do"
    if not things and not base.others:
        return replace(base, polarity=polarity)
    if polarity == "leave" and _is_limit(clause.tokens, words):
        return None
    if base.others and not things:
        return replace(base, polarity=polarity)
    return replace(base, named=(Named(frozenset[int]().union(*things), polarity),))


def _is_told_of_others(clause: Clause, words: ConsentWords) -> bool:
    """Whether its verb is no order: "they cancelled it"."""
    for place, token in enumerate(clause.tokens):
        before = clause.tokens[:place]
        subject = any(
            words.subject.is_one(one.text) and not words.pronouns.is_one(one.text.partition("'")[0])
            for one in before
        )
        passive = words.asks.is_one(before[-1].text) if before else False
        if token.sign == "V" and " " not in token.text and (subject or passive):
            return subject or not (words.verb_last or any(one.sign in "YXNE" for one in before))
    return False


def _approves_of_the_thing(clause: Clause, words: ConsentWords) -> bool:
    """Whether it likes what is to be ended, which is no order to end it: "Tuesday is fine", "it suits me"."""
    signs = clause.signs
    if "y" not in signs or set("VNXE") & set(signs):
        return False
    named = any(sign in "pv" for sign in signs)
    praises = any(words.praise.is_one(token.text) for token in clause.tokens if token.sign == "y")
    suits = any(words.suits.is_one(token.text) for token in clause.tokens)
    means_it = any(words.thing_pronouns.is_one(token.text) for token in clause.tokens)
    return (named and "Y" not in signs) or (praises and (named or means_it)) or suits


def _is_limit(tokens: Sequence[Token], words: ConsentWords) -> bool:
    """Whether a time is meant, and no thing: "but not on Tuesday"."""
    kept = [token for token in tokens if token.sign not in "s"]
    return not any(token.sign in "pw" for token in kept) and any(
        one.sign in "XEN" and words.when.is_one(other.text) for one, other in pairwise(kept)
    )


def _runs(clause: Clause, question: Question) -> Iterator[frozenset[int] | str]:
    """Things and polarities by turns: "+" agrees, "-" denies, "v" only says what is to be done."""
    last: frozenset[int] | str | None = None
    for run in _single_runs(clause, question):
        if isinstance(run, str) and isinstance(last, str):
            last = "-" if "-" in (run, last) else "+" if "+" in (run, last) else "v"
        elif isinstance(run, frozenset) and isinstance(last, frozenset):
            last = last & run or last | run
        else:
            if last is not None:
                yield last
            last = run
    if last is not None:
        yield last


def _single_runs(clause: Clause, question: Question) -> Iterator[frozenset[int] | str]:
    for token in clause.tokens:
        if token.sign in _DENIES:
            yield "-"
        elif token.sign in "Yy":
            yield "+"
        elif token.sign == "V":
            yield "v"
        if token.sign in "pvVw" and token.places and token.places != question.everything:
            yield token.places


def _paired(runs: Sequence[frozenset[int] | str]) -> tuple[Named, ...] | None:
    """Things and polarities that alternate: "the first yes the second no", "yes to the first no to the second"."""
    things, said = list(runs[::2]), list(runs[1::2])
    if isinstance(runs[0], str):
        things, said = said, things
    if len(things) != len(said):
        return None
    pairs: list[Named] = []
    for thing, word in zip(things, said, strict=True):
        if not isinstance(thing, frozenset) or not isinstance(word, str):
            return None
        pairs.append(Named(thing, "leave" if word == "-" else "do"))
    return tuple(pairs)


def chosen_parts(
    sayings: Sequence[Saying], remarks: Sequence[Remark], question: Question
) -> frozenset[int] | None:
    """The parts that all clauses together agree to; None where they contradict each other or leave it open."""
    every = question.everything
    if len(every) == 1:
        denied = any(one.polarity == "leave" or one.only or one.others for one in sayings)
        denied = denied or any(each.polarity == "leave" for one in sayings for each in one.named)
        return None if denied else every
    settled = _settled(sayings)
    if settled is None:
        return None
    do, leave, open_ = set[int](), set[int](), set[int]()
    bare = {one.polarity for one in settled if not one.others and one.polarity}
    only = any(one.only for one in settled)
    for one in settled:
        for each in one.named:
            polarity = each.polarity or ("do" if one.only else None)
            {"do": do, "leave": leave, None: open_}[polarity].update(each.places)
    for one in settled:
        if one.only:
            leave |= every - frozenset[int]().union(*(each.places for each in one.named))
    for one in settled:
        if one.others:
            rest = every - do - leave - open_
            if one.polarity is None or not rest or len(rest) == len(every):
                return None
            (do if one.polarity == "do" else leave).update(rest)
    keeps = frozenset[int]().union(*(one.keeps for one in remarks))
    if open_ - do:
        if "do" in bare or leave or keeps:
            do |= open_ - leave
        else:
            return None
    leave |= keeps
    if any(one.wants for one in remarks) and not leave:
        return None
    if not frozenset[int]().union(*(one.about for one in remarks)) <= leave:
        return None
    if do & leave or bare == {"do", "leave"} or (keeps and not do):
        return None
    if "leave" in bare and not (do and (only or leave)):
        return None
    if do:
        return frozenset(do)
    by_place = len(settled) == 1 and settled[0].by_place and bool(leave)  # "Not the second one."
    return every - leave if ("do" in bare or by_place) and not every <= leave else None


def _settled(sayings: Sequence[Saying]) -> list[Saying] | None:
    """The sayings, each bare thing with the polarity that stands next to it in its sentence: "the order, no"."""
    settled: list[Saying] = []
    sentence: list[Saying] = []
    for one in sayings:
        if one.named or one.polarity or one.others:
            sentence.append(one)
        if one.ends_sentence:
            settled += _settled_sentence(sentence)
            sentence = []
    return settled + _settled_sentence(sentence)


def _settled_sentence(sentence: Sequence[Saying]) -> list[Saying]:
    settled: list[Saying] = []
    skip = False
    for place, one in enumerate(sentence):
        if skip:
            skip = False
            continue
        before = settled[-1] if settled else None
        after = sentence[place + 1] if place + 1 < len(sentence) else None
        if not _is_open(one):
            settled.append(one)
        elif after is not None and _is_bare(after) and not (before is not None and _is_bare(before)):
            settled.append(_with(one, after.polarity))
            if before is not None and _is_open(before) and one.joined:
                settled[-2] = _with(before, after.polarity)
            skip = True
        elif one.joined and before is not None and before.named and before.named[-1].polarity:
            settled.append(_with(one, before.named[-1].polarity))
        else:
            settled.append(one)
    return settled


def _is_open(one: Saying) -> bool:
    return bool(one.named) and all(each.polarity is None for each in one.named) and not one.only


def _is_bare(one: Saying) -> bool:
    return not one.named and not one.others and one.polarity is not None


def _with(one: Saying, polarity: Polarity | None) -> Saying:
    return replace(one, named=tuple(replace(each, polarity=polarity) for each in one.named))
