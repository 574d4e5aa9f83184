"""Settles roles that depend on neighbours: "do" is a yes in "do the first", and none in "do you".

:data:`_BY_ROLE` has one function for each role that is not final after the text was cut into tokens.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.number_words import TOGETHER, number_at
from assistant.turn.consent.question import LONGEST_COUNT, Question
from assistant.turn.consent.roles import AGREEING, DENYING, LIGHT, NAMING, Role, Token

_MARKS: Final = (Role.COMMA, Role.SENTENCE_END, Role.QUESTION_MARK)
HUM: Final = re.compile("hm+")
_NEAR: Final = 3
_CLAUSE: Final = 3
"""The least number of words of a clause with a reason, including the word that begins it."""


def settle_roles(tokens: Sequence[Token], question: Question, words: ConsentWords) -> Iterator[Token]:
    """The tokens with their final roles. A number that counts the things is joined to the "all" before it."""
    for place, token in enumerate(tokens):
        if place and _Neighbours(tokens, place - 1, question, words).counts_next:
            continue
        settle = _BY_ROLE.get(token.role)
        yield settle(_Neighbours(tokens, place, question, words)) if settle is not None else token


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """A token with its neighbours in the answer."""

    tokens: Sequence[Token]
    place: int
    question: Question
    words: ConsentWords

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    @property
    def several(self) -> bool:
        """Whether the question has several parts to choose from."""
        return len(self.question.parts) > 1

    @property
    def before(self) -> Sequence[Token]:
        """The tokens before it that have an effect."""
        return [one for one in self.tokens[: self.place] if one.role not in LIGHT]

    @property
    def after(self) -> Sequence[Token]:
        """The tokens after it that have an effect."""
        return [one for one in self.tokens[self.place + 1 :] if one.role not in LIGHT]

    @property
    def clause(self) -> Sequence[Token]:
        """The tokens around it, up to the nearest punctuation."""
        begin = end = self.place
        while begin and self.tokens[begin - 1].role not in _MARKS:
            begin -= 1
        while end < len(self.tokens) and self.tokens[end].role not in _MARKS:
            end += 1
        return self.tokens[begin:end]

    @property
    def last(self) -> Role | None:
        """The role of the token directly before it."""
        places = range(self.place - 1, -1, -1)
        return next(
            (self.tokens[place].role for place in places if self.tokens[place].role not in LIGHT), None
        )

    @property
    def next(self) -> Role | None:
        """The role of the token directly after it."""
        places = range(self.place + 1, len(self.tokens))
        return next(
            (self.tokens[place].role for place in places if self.tokens[place].role not in LIGHT), None
        )

    @property
    def is_about_more(self) -> bool:
        """Whether "all" comes before the only thing in the question: "all my orders" means more than one."""
        return self.token.role is Role.EVERYTHING and self.next is Role.THING and not self.several

    @property
    def counts_next(self) -> bool:
        """Whether the next token is a number that belongs to "all": "all three"."""
        after = self.tokens[self.place + 1 : self.place + 2]
        if (
            self.token.role is not Role.EVERYTHING
            or not after
            or after[0].role in LIGHT
            or self.is_about_more
        ):
            return False
        return number_at(after[0].text, 0) is not None


def _all(seen: _Neighbours) -> Token:
    """Settle "all", "both" and "each": "all three" is everything if there are three things, "both" if two."""
    counts = {len(seen.question.parts), len(seen.question.calls)}
    if seen.place and seen.words.speaker.is_one(seen.tokens[seen.place - 1].text):
        return seen.token.as_(Role.FILLER)  # "We both want breakfast."
    after = seen.tokens[seen.place + 1 : seen.place + 2]
    dated = (Role.UNKNOWN, Role.NEW_VALUE, Role.OLD_VALUE)
    adverb = bool(after) and after[0].role in dated and not seen.words.people.begins(after[0].text)
    if seen.is_about_more or (adverb and not seen.several):
        fits = False  # "All my orders", "all day".
    elif seen.counts_next:
        counted = number_at(seen.tokens[seen.place + 1].text, 0)
        fits = counted is not None and counted.form.isdecimal() and int(counted.form) in counts
    elif seen.token.role is Role.BOTH:
        fits = 2 in counts
    else:
        fits = seen.token.role is Role.EVERYTHING or max(counts) > 1
    return seen.token.as_(Role.EVERYTHING if fits else Role.UNKNOWN)


def _wish(seen: _Neighbours) -> Token:
    """Settle a wish: "I'd like the eye test cancelled" is an order; "I'd like to keep it" is none."""
    roles = [one.role for one in seen.after]
    named = {*NAMING, Role.BEFORE_NEW, Role.EVERYTHING}
    end = next((n for n, role in enumerate(roles) if role not in named), len(roles))
    wanted = roles[: end + 1]
    if Role.EXCEPT in wanted or Role.REFUSES in wanted:
        return seen.token.as_(Role.FILLER)
    return seen.token.as_(Role.AGREES if Role.ACT in wanted else Role.UNKNOWN)


def _request(seen: _Neighbours) -> Token:
    """Settle a request: at the end it is only polite: "cancel it for me, would you"."""
    after = seen.tokens[seen.place + 1 : seen.place + 2]
    ends = not after or after[0].role in (Role.COMMA, Role.SENTENCE_END)
    agreed = any(one.role is Role.AGREES for one in seen.tokens[: seen.place])
    orders = agreed and seen.next is Role.ACT  # "Yes, could you cancel it."
    return seen.token.as_(Role.FILLER) if (ends and seen.place) or orders else seen.token


def _before_new(seen: _Neighbours) -> Token:
    """Settle "to": "to Thursday" and "to cancel" are known; "to my office" is not."""
    known = (Role.NEW_VALUE, Role.ACT, Role.EVERYTHING, Role.EXCEPT, Role.REFUSES)
    to_part = seen.next is Role.THING and (seen.several or seen.question.is_goal(seen.after[0].text))
    return seen.token.as_(Role.FILLER if seen.next in known or to_part else Role.UNKNOWN)


def _before_old(seen: _Neighbours) -> Token:
    """Settle "from": "from Tuesday to Thursday" is known; "from Tuesday" alone is not."""
    changes = seen.next in (Role.NEW_VALUE, Role.OLD_VALUE) and _has_new_value(seen.after)
    return seen.token.as_(Role.FILLER if changes else Role.UNKNOWN)


def _old_value(seen: _Neighbours) -> Token:
    """Settle an old value: it changes nothing in "from Tuesday, November 24, to Thursday"."""
    # "From Tuesday to Thursday", "swap Tuesday for Thursday".
    changes = seen.last in (Role.BEFORE_OLD, Role.ACT) and _has_new_value(seen.after)
    return seen.token.as_(Role.FILLER) if changes or _continues_old(seen) else seen.token


def _continues_old(seen: _Neighbours) -> bool:
    """Whether there are only old values between this token and "from"."""
    before = [one.role for one in seen.before if one.role is not Role.COMMA]
    if before[-1:] != [Role.OLD_VALUE] or not _has_new_value(seen.tokens[seen.place :]):
        return False
    others = [role for role in before if role is not Role.OLD_VALUE]
    return others[-1:] == [Role.BEFORE_OLD]


def _has_new_value(tokens: Sequence[Token]) -> bool:
    return any(one.role is Role.NEW_VALUE for one in tokens)


def _filler(seen: _Neighbours) -> Token:
    """Settle a filler: "it is" agrees in "Thursday it is"."""
    settles = seen.words.settling.is_one(seen.token.text) and seen.place
    before = seen.tokens[seen.place - 1] if seen.place else seen.token
    named = settles and (before.role is Role.NEW_VALUE or _names_a_goal(before, seen.question))
    return seen.token.as_(Role.APPROVES) if named else seen.token


def _agrees(seen: _Neighbours) -> Token:
    """Settle a yes: "ja" is none in "das fällt ja aus", "I want that" is none in "I want that appointment"."""
    token, words = seen.token, seen.words
    if words.yes_particles.is_one(token.text) and _is_particle(seen):
        return token.as_(Role.SOUND)
    if not words.mere_yes.is_one(token.text) and _is_inside_a_statement(seen):
        return token.as_(Role.SOUND)  # "I had totally forgotten."
    if _allows_something_else(seen):
        return token.as_(Role.UNKNOWN)
    points = seen.next is Role.THING and words.pointing.is_one(token.text.split()[-1])
    return token.as_(Role.UNKNOWN) if points and " " in token.text else token


def _is_inside_a_statement(seen: _Neighbours) -> bool:
    """Whether there are unknown words around it: "my wife so gladly has breakfast there"."""
    around = (
        seen.tokens[max(seen.place - _NEAR, 0) : seen.place],
        seen.tokens[seen.place + 1 : seen.place + 1 + _NEAR],
    )
    before, after = ([one for one in some if one.role is not Role.FILLER] for some in around)
    told = (Role.UNKNOWN, Role.THING)
    return bool(before and after) and before[-1].role in told and after[0].role is Role.UNKNOWN


def _allows_something_else(seen: _Neighbours) -> bool:
    """Whether "you can" has a verb that is not in the question: "then you can reach me"."""
    after = seen.tokens[seen.place + 1 : seen.place + 2]
    return (
        bool(after)
        and after[0].role is Role.UNKNOWN
        and not seen.words.people.begins(after[0].text)
        and seen.words.permissions.is_one(seen.token.text)
    )


def _is_particle(seen: _Neighbours) -> bool:
    """Whether a German "ja" is a particle in a statement: after the verb or pronoun, and not at the end."""
    ends = {Role.COMMA, Role.SENTENCE_END, Role.QUESTION_MARK}
    after = seen.tokens[seen.place + 1 : seen.place + 2]
    if not seen.place or not after or after[0].role in ends:
        return False
    before, words = seen.tokens[seen.place - 1], seen.words
    known = words.question_starts.is_one(before.text) or words.object_pronouns.is_one(before.text)
    return before.role is Role.UNKNOWN or (before.role is Role.FILLER and known)


def _only(seen: _Neighbours) -> Token:
    """Settle "only": it chooses in "only the first", but not in "just go ahead" or "the only way"."""
    if seen.place and seen.words.articles.is_one(seen.tokens[seen.place - 1].text):
        return seen.token.as_(Role.FILLER)
    before = [one.role for one in seen.before if one.role is not Role.COMMA]
    names = seen.next in (Role.THING, Role.NEW_VALUE, Role.ACT) or before[-1:] == [Role.THING]
    chooses = seen.several and names
    return (
        seen.token
        if chooses or not seen.words.polite.is_one(seen.token.text)
        else seen.token.as_(Role.FILLER)
    )


def _refuses(seen: _Neighbours) -> Token:
    """Settle a no: "stop the order" and "yes, cancel that" are orders if the question is whether to cancel."""
    text, question = seen.token.text, seen.question
    if seen.next in NAMING and (acted := question.acted(text)):
        return Token(Role.ACT, text, acted)
    agreed = any(one.role in AGREEING for one in seen.tokens[: seen.place])
    before = seen.tokens[seen.place - 1] if seen.place else None
    others = bool(seen.clause) and seen.words.of_others.begins(" ".join(one.text for one in seen.clause))
    negates = seen.words.negation.found_in(text) and (others or not seen.words.object_pronouns.begins(text))
    if negates and before is not None and (before.role is Role.UNKNOWN or seen.words.own.is_one(before.text)):
        return seen.token.as_(Role.NEGATES)  # "It doesn't suit me at all."
    if agreed and question.only_ends and " " in text and seen.words.drawbacks.found_in(text):
        return seen.token.as_(Role.UNKNOWN)  # "Yes, it was a mistake."
    if agreed and (acted := question.acted(text.split()[0])):
        return Token(Role.ACT, text, acted)
    return seen.token


def _except(seen: _Neighbours) -> Token:
    """Settle an exception: "stay" is a noun in "cancel my stay"."""
    before = seen.tokens[seen.place - 1].text if seen.place else ""
    owned = seen.words.of_others.is_one(before) or seen.words.articles.is_one(before)
    return seen.token.as_(Role.FILLER) if owned and not seen.words.verb_last else seen.token


def _holds(seen: _Neighbours) -> Token:
    """Settle a doubt: "the order, yes; the invoice not yet" excludes the invoice; "hm yes" has none."""
    if HUM.fullmatch(seen.token.text) and (
        seen.next is Role.AGREES or (seen.next is Role.APPROVES and _has_new_value(seen.after))
    ):
        return seen.token.as_(Role.SOUND)
    if seen.next is Role.NEW_VALUE and seen.token.text in seen.question.relations:
        return seen.token.as_(Role.FILLER)
    if seen.several and seen.words.temporary.is_one(seen.token.text) and _has_only(seen):
        return seen.token.as_(Role.FILLER)  # "Only the order for now."
    leaves = seen.several and seen.last in NAMING and bool(seen.words.negation.found_in(seen.token.text))
    return seen.token.as_(Role.EXCEPT) if leaves else seen.token


def _has_only(seen: _Neighbours) -> bool:
    return any(one.role is Role.ONLY for one in seen.clause)


def _does(seen: _Neighbours) -> Token:
    """Settle "do": it is an order in "do the first" and "yes, do"; in "do cancel it" another verb is the order."""
    chosen = (Role.THING, Role.EVERYTHING, Role.BOTH, Role.EACH)
    named = seen.last in (*NAMING, Role.ACT, Role.EVERYTHING, Role.BOTH, Role.EACH)
    ends = seen.next in (None, Role.COMMA, Role.SENTENCE_END)
    if seen.several and (seen.next in chosen or (named and ends)):
        return seen.token.as_(Role.AGREES)
    if not seen.words.verb_last and _begins_its_clause(seen):
        new = seen.next in NAMING and not seen.question.ends  # "Do the brake discs."
        if ends or new:
            return seen.token.as_(Role.AGREES)
    allowed = ends and seen.last is Role.AGREES  # "Das können Sie machen."
    return seen.token.as_(Role.FILLER if allowed or seen.next is Role.ACT else Role.UNKNOWN)


def _begins_its_clause(seen: _Neighbours) -> bool:
    """Whether only punctuation or a yes comes before it: "yes, please do"."""
    before = [one.role for one in seen.tokens[: seen.place]]
    while before and before[-1] in (Role.FILLER, Role.SOUND):
        before.pop()
    return not before or before[-1] in (Role.COMMA, Role.SENTENCE_END, Role.AGREES)


def _names_a_goal(token: Token, question: Question) -> bool:
    """Whether a thing is the new state: "Premium", if that is what the customer changes to."""
    single = len(question.parts) == 1 and not question.ends
    return token.role is Role.THING and single and question.is_goal(token.text)


def _thing(seen: _Neighbours) -> Token:
    """Settle a thing: "last" names no thing in "I lost my job last week"."""
    words, question = seen.words, seen.question
    before = seen.tokens[seen.place - 1] if seen.place else None
    if before is not None and before.role is Role.UNKNOWN and words.speaker.is_one(before.text):
        return seen.token.as_(Role.UNKNOWN)  # "I ordered in a rush."
    if _names_a_goal(seen.token, question):
        return seen.token.as_(Role.NEW_VALUE)
    ordinal = words.last.is_one(seen.token.text) or any(one.is_one(seen.token.text) for one in words.ordinals)
    after = seen.tokens[seen.place + 1 : seen.place + 2]
    other = (
        ordinal
        and bool(after)
        and after[0].role is Role.UNKNOWN
        and not seen.words.people.begins(after[0].text)
    )
    articled = " " in seen.token.text or (
        seen.place > 0 and words.articles.is_one(seen.tokens[seen.place - 1].text)
    )
    return seen.token.as_(Role.UNKNOWN) if other and not articled else seen.token


def _address(seen: _Neighbours) -> Token:
    """Give a word such as "address" or "mail" the value that the question has for it.

    Customers say it in place of the value: "that address is right", "to my mail".
    """
    words, place, token = seen.words, seen.place, seen.token
    if not place or not words.address_names.is_one(token.text):
        return token
    before = seen.tokens[place - 1].text.split()[-1]
    determiners = (words.articles, words.statement_starts, words.pointing)
    owned = any(phrases.is_one(before) for phrases in determiners)
    named = seen.question.addressed
    return Token(Role.NEW_VALUE, token.text, named) if named and owned else token


def _reason(seen: _Neighbours) -> Token:
    """Settle "since": it begins no clause in "she has been waiting since Monday"."""
    ends = (Role.COMMA, Role.SENTENCE_END, Role.QUESTION_MARK, Role.JOIN, Role.CONTRAST)
    rest = seen.tokens[seen.place + 1 : seen.place + _CLAUSE]
    short = len(rest) < _CLAUSE - 1 or any(token.role in ends for token in rest)
    return seen.token.as_(Role.FILLER) if short and seen.place else seen.token


def _unknown(seen: _Neighbours) -> Token:
    """Settle an unknown word: "the booking" may mean the thing in question; "too" comes after one of several
    things, if nothing is denied: "the eye test and the order, too".
    """
    if seen.place and seen.question.means_any(seen.token.text):
        words, before = seen.words, seen.tokens[seen.place - 1].text
        definite = (words.articles, words.pointing, words.own, words.other_people, words.object_pronouns)
        if any(phrases.is_one(before) for phrases in definite):
            return Token(Role.THING, seen.token.text, seen.question.everything)
    again = (
        seen.several and seen.last in (Role.THING, Role.APPROVES) and seen.words.too.is_one(seen.token.text)
    )
    if again and not any(one.role in DENYING for one in seen.tokens):
        return seen.token.as_(Role.FILLER)
    return _address(seen)


def _corrects(seen: _Neighbours) -> Token:
    """Settle "better" and "change it to": with the question's own new value, both agree.

    "Thursday is better" agrees if no other value is named, and "that's better for me" means what was asked.
    """
    text, words = seen.token.text, seen.words
    if words.meant.is_one(text) and _is_settled_by_a_denial(seen):
        return seen.token.as_(Role.ONLY)
    if seen.next is Role.NEW_VALUE and (acted := seen.question.acted(text.partition(" ")[0])):
        return Token(Role.ACT, text, acted)
    if text.endswith(" that") and seen.next in (None, Role.COMMA, Role.SENTENCE_END) and seen.place:
        return seen.token.as_(Role.UNKNOWN)  # "I can make that."
    if words.before_times.is_one(text.rpartition(" ")[2]) or (
        text.endswith(" it") and seen.next not in (*NAMING, Role.OLD_VALUE, Role.OTHER_VALUE)
    ):
        return seen.token.as_(Role.FILLER)  # "Make it quick."
    values = {one.role for one in seen.clause} & {Role.NEW_VALUE, Role.OLD_VALUE, Role.OTHER_VALUE}
    before = seen.tokens[seen.place - 1].text if seen.place else ""
    points = not values and words.pointing.begins(before.partition("'")[0] or " ")
    prefers = words.preference.is_one(text) and (values == {Role.NEW_VALUE} or points)
    return seen.token.as_(Role.APPROVES) if prefers else seen.token


def _new_value(seen: _Neighbours) -> Token:
    """Settle a new value: in "we are five", the number is no day, if the question has another count."""
    number = number_at(seen.token.text, 0) if seen.question.counts else None
    if number is None or number.end != len(seen.token.text) or number.form in seen.question.counts:
        return seen.token
    before = seen.tokens[seen.place - 1] if seen.place else None
    times = (seen.words.before_times, seen.words.before_new, seen.words.articles)
    dated = (
        before is not None
        and seen.token.text not in TOGETHER
        and (before.role is Role.NEW_VALUE or any(phrases.is_one(before.text) for phrases in times))
    )
    return seen.token if dated or len(number.form) > LONGEST_COUNT else seen.token.as_(Role.OTHER_VALUE)


def _is_settled_by_a_denial(seen: _Neighbours) -> bool:
    """Whether "I meant" chooses one of several things, because another one is denied: "keep the test, I meant the
    order".
    """
    meant = [one for one in seen.after if one.role is not Role.ONLY][:1]
    denied = (
        frozenset[int]().union(*(one.places for one in seen.tokens)) != meant[0].places if meant else False
    )
    chosen = bool(meant) and meant[0].role is Role.THING and meant[0].places != seen.question.everything
    return seen.several and chosen and denied and any(one.role in DENYING for one in seen.tokens)


def _other_value(seen: _Neighbours) -> Token:
    """Settle another value: "twenty" counts something else in "twenty people", unless the question counts, too."""
    words, place = seen.words, seen.place
    if seen.question.counts:
        return seen.token  # "We are three now", for a table for two.
    before = seen.tokens[place - 1].text if place else ""
    times = (words.before_times, words.before_new, words.articles)
    number = number_at(seen.token.text, 0)
    counts = number is not None and number.end == len(seen.token.text) and len(number.form) <= LONGEST_COUNT
    after = seen.tokens[place + 1 : place + 2]
    if not counts or any(phrases.is_one(before) for phrases in times) or not after:
        return seen.token
    other = after[0].role is Role.UNKNOWN and after[0].text.isalpha()
    verb = any(
        phrases.is_one(after[0].text) for phrases in (words.verbs, words.question_starts, words.subjects)
    )
    return seen.token.as_(Role.UNKNOWN) if other and not verb else seen.token


_BY_ROLE: Final[Mapping[Role, Callable[[_Neighbours], Token]]] = {
    Role.EVERYTHING: _all,
    Role.BOTH: _all,
    Role.EACH: _all,
    Role.WISH: _wish,
    Role.BEFORE_NEW: _before_new,
    Role.BEFORE_OLD: _before_old,
    Role.OLD_VALUE: _old_value,
    Role.NEW_VALUE: _new_value,
    Role.OTHER_VALUE: _other_value,
    Role.FILLER: _filler,
    Role.AGREES: _agrees,
    Role.ONLY: _only,
    Role.REFUSES: _refuses,
    Role.EXCEPT: _except,
    Role.HOLDS: _holds,
    Role.DOES: _does,
    Role.CORRECTS: _corrects,
    Role.REASON: _reason,
    Role.REQUEST: _request,
    Role.THING: _thing,
    Role.ACT: _address,
    Role.UNKNOWN: _unknown,
}
