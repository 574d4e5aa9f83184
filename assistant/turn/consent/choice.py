"""Decides to which parts of a question all clauses of an answer together agree."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.turn.consent.question import Question
from assistant.turn.consent.sayings import Polarity, Saying


def chosen_parts(sayings: Sequence[Saying], question: Question) -> frozenset[int] | None:
    """The parts that all clauses together agree to; None if they contradict each other or leave it open."""
    every = question.everything
    if len(every) == 1:
        return None if any(_denies_or_limits(one) for one in sayings) else every
    settled = _with_neighbours(sayings)
    # The things to do, the things to leave unchanged, and the things without either: "the order, please".
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
    if open_ - do:
        if "do" in bare or leave:
            do |= open_ - leave
        else:
            return None
    if do & leave or bare == {"do", "leave"}:
        return None
    if "leave" in bare and not (do and (only or leave)):
        return None
    approved = frozenset[int]().union(*(each.places for one in settled if one.approves for each in one.named))
    if do & approved and frozenset(do | leave) != every:
        return None  # "The e-mail is right" says nothing about the phone number.
    if do:
        return frozenset(do)
    by_place = len(settled) == 1 and settled[0].by_place and bool(leave)  # "Not the second one."
    return every - leave if ("do" in bare or by_place) and not every <= leave else None


def _denies_or_limits(one: Saying) -> bool:
    denies = one.polarity == "leave" or any(each.polarity == "leave" for each in one.named)
    return denies or one.only or one.others


def _with_neighbours(sayings: Sequence[Saying]) -> list[Saying]:
    """The sayings.

    A thing without a polarity gets the polarity next to it in its sentence: "the order, no".
    """
    settled: list[Saying] = []
    sentence: list[Saying] = []
    for one in sayings:
        if one.named or one.polarity or one.others:
            sentence.append(one)
        if one.ends_sentence:
            settled += _paired_in_sentence(sentence)
            sentence = []
    return settled + _paired_in_sentence(sentence)


def _paired_in_sentence(sentence: Sequence[Saying]) -> list[Saying]:
    """The sayings of one sentence: "the test and the order, yes" agrees to both."""
    settled: list[Saying] = []
    skip = False
    for place, one in enumerate(sentence):
        if skip:
            skip = False
            continue
        before = settled[-1] if settled else None
        after = sentence[place + 1] if place + 1 < len(sentence) else None
        if not is_open(one):
            settled.append(one)
        elif after is not None and _is_bare(after) and not (before is not None and _is_bare(before)):
            settled.append(_with(one, after.polarity))
            if before is not None and is_open(before) and one.joined:
                settled[-2] = _with(before, after.polarity)
            skip = True
        elif (
            after is not None and after.joined and after.named and after.named[0].polarity and not after.only
        ):
            settled.append(_with(one, after.named[0].polarity))  # "The test and the order cancelled".
        elif one.joined and before is not None and before.named and before.named[-1].polarity:
            settled.append(_with(one, before.named[-1].polarity))
        else:
            settled.append(one)
    return settled


def is_open(one: Saying) -> bool:
    """Whether a saying names things, but not what to do with them: "the order"."""
    return bool(one.named) and all(each.polarity is None for each in one.named) and not one.only


def _is_bare(one: Saying) -> bool:
    """Whether a saying says what to do, but names no thing: "yes", "no"."""
    return not one.named and not one.others and one.polarity is not None


def _with(one: Saying, polarity: Polarity | None) -> Saying:
    return replace(one, named=tuple(replace(each, polarity=polarity) for each in one.named))
