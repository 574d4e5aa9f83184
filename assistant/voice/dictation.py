"""Dictation: which kind of input is expected, and how its transcript is normalized.

``expected_input_after`` reads the assistant's last message: numbers, names and addresses are said slowly,
with pauses. ``normalize_dictation`` writes them in their usual form: "A N A at example dot com" becomes
ana@example.com.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, assert_never

from assistant.prompts.word_list import WordList, plain_words
from assistant.prompts.words import ListeningWords

ExpectedInput: TypeAlias = Literal["anything", "digits", "name", "email"]
"""The kind of input that may be dictated now. Numbers of all kinds, dates of birth and postcodes are
digits."""

_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
_LAST_SENTENCES = 2  # "I need your customer number. What is it?"
_CODE = re.compile(r"[^\W\d_]?(?:\d+[^\W\d_])*\d+[^\W\d_]?")  # "104", "A104", "1B4"; not "3rd"
_WORD_OR_SIGN = r"(?P<mark>(?<=\w)[.-](?=\w))|(?P<sign>[@_+])|[^\W_]+(?:['’][^\W_]+)*"
_EMAIL_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^\W\d_]{2,}")
_BETWEEN_PARTS = re.compile(r"[\s,]*")
_BETWEEN_LETTERS = re.compile(r"[\s,.]*")
_BETWEEN = re.compile(r"[\s,.()]*")
_DATE = re.compile(r"\d{1,2} \d{1,2} (?:19|20)\d\d")
_LITTLE_WORDS = {"a", "I"}
_FEWEST_CHARACTERS = 2


def expected_input_after(question: str, words: ListeningWords) -> ExpectedInput:
    """Returns the input that the assistant's message asks for. Returns "anything" if the message asks for
    nothing that is dictated.

    Only the end of the message is read. A sentence that contains a number or an address asks about that one,
    not for a new one. Of several inputs, an e-mail address has priority, because it takes the longest to say.
    """
    sentences = [sentence for sentence in _SENTENCE.split(question.strip()) if sentence][-_LAST_SENTENCES:]
    if not any(sentence in words.asks for sentence in sentences):
        return "anything"
    asked = " ".join(sentence for sentence in sentences if not re.search(r"[\d@]", sentence))
    if asked in words.emails:
        return "email"
    if asked in words.digits:
        return "digits"
    return "name" if asked in words.names else "anything"


@dataclass(frozen=True, slots=True, kw_only=True)
class DictatedToken:
    """A word of a text and its meaning, "7" for "seven". ``start`` and ``end`` are its position in the text.

    A ``sign`` was said as a word, or is unambiguous ("@"). A ``mark`` is a full stop or hyphen inside a word,
    which the transcriber may have added ("A-N-A").
    """

    kind: Literal["digits", "letter", "sign", "mark", "word"]
    means: str
    start: int
    end: int

    @property
    def spelled(self) -> bool:
        """Whether the token is part of a text that is said character by character."""
        return self.kind in {"digits", "letter"}


def normalize_dictation(text: str, expecting: ExpectedInput, words: ListeningWords) -> str:
    """Returns the text with the expected input joined; all other text stays unchanged.

    Digits of a date and numbers in a sentence ("I have one order") are not joined. If an e-mail address is
    expected but none was said, digits are joined, too.
    """
    match expecting:
        case "anything":
            return text
        case "digits":
            return _normalize_digits(text, words)
        case "name":
            return _normalize_name(text, words)
        case "email":
            found = find_email_address(text, tokenize_dictation(text, words))
            if found is None:
                return _normalize_digits(text, words)
            return text[: found.start] + found.means + text[found.end :]
        case _:
            assert_never(expecting)


def _normalize_digits(text: str, words: ListeningWords) -> str:
    if text in words.months:
        return text
    tokens = tokenize_dictation(text, words)
    for run in reversed(list(_spelled_runs(text, tokens))):
        number = _number_of_run(run, alone=len(tokens) == len(run))
        if number:
            text = text[: _with_bracket(text, run[0].start)] + number + text[run[-1].end :]
    return text


def _number_of_run(run: Sequence[DictatedToken], *, alone: bool) -> str:
    """Returns the number in a sequence of tokens, or "" if the sequence is not a number: "10.50" is an
    amount, "1.04.7" are digits.
    """
    content = [token for token in run if token.spelled]
    if not any(token.kind == "digits" for token in content) and not _is_o(content):
        return ""
    if len(content) < _FEWEST_CHARACTERS and len(content[0].means) < _FEWEST_CHARACTERS and not alone:
        return ""
    if sum(token.means == "." for token in run) == 1 or _DATE.fullmatch(
        " ".join(one.means for one in content)
    ):
        return ""
    number = "".join(token.means for token in run if token.kind != "mark")
    letters = {sign.casefold() for sign in number if sign.isalpha()}
    return re.sub("[oO]", "0", number) if letters == {"o"} else number


def _is_o(content: Sequence[DictatedToken]) -> bool:
    return len(content) > 1 and all(set(token.means.casefold()) == {"o"} for token in content)


def _normalize_name(text: str, words: ListeningWords) -> str:
    tokens = tokenize_dictation(text, words)
    for run in reversed(list(_spelled_runs(text, tokens))):
        letters = "".join(token.means for token in run if token.kind in {"letter", "sign"})
        if (
            any(token.kind == "digits" for token in run)
            or sum(map(str.isalpha, letters)) < _FEWEST_CHARACTERS
        ):
            continue
        name = "-".join(part.capitalize() for part in letters.split("-"))
        before = tokens[: tokens.index(run[0])]
        # "Costa, C O S T A": keep only one of the two.
        said = before and before[-1].means.casefold() == name.casefold()
        text = text[: before[-1].start if said else run[0].start] + name + text[run[-1].end :]
    return text


def _spelled_runs(text: str, tokens: Sequence[DictatedToken]) -> Iterator[list[DictatedToken]]:
    """Yields the sequences of spelled tokens, with the signs and marks between them."""
    run: list[DictatedToken] = []
    for token in tokens:
        joins = bool(run) and _BETWEEN.fullmatch(text, run[-1].end, token.start) is not None
        if run and not (joins and _may_follow(run[-1], token)):
            yield from _trim_run(run)
            run = []
        if run or token.spelled or token.means == "+":
            run.append(token)
    yield from _trim_run(run)


def _may_follow(before: DictatedToken, token: DictatedToken) -> bool:
    if token.kind == "mark":
        return before.spelled
    return token.spelled or (token.kind == "sign" and token.means in "-." and before.spelled)


def _trim_run(run: list[DictatedToken]) -> Iterator[list[DictatedToken]]:
    while run and not run[-1].spelled:
        run = run[:-1]
    # "It's a 1 0 4, I think": "a" and "I" are words, not spelled letters.
    while len(run) > 1 and run[0].means in _LITTLE_WORDS and run[1].kind == "digits":
        run = run[1:]
    while len(run) > 1 and run[-1].means in _LITTLE_WORDS and run[-2].kind == "digits":
        run = run[:-1]
    if run:
        yield run


def _with_bracket(text: str, start: int) -> int:
    """Returns the beginning of "(555) 123", including its bracket."""
    return start - 1 if start and text[start - 1] == "(" else start


def find_email_address(text: str, tokens: Sequence[DictatedToken]) -> DictatedToken | None:
    """Returns the first address, in lower case, as a token of the text, or None if there is none.

    Before "at" comes one word, or spelled characters, or parts joined by signs: "my mail is ana at" gives
    "ana".
    """
    for at, token in enumerate(tokens):
        if token.means != "@":
            continue
        first, last = _first_part(text, tokens, at), _last_part(text, tokens, at)
        means = _join_part(tokens[first:at]) + "@" + _join_part(tokens[at + 1 : last + 1])
        if _EMAIL_ADDRESS.fullmatch(means):
            return replace(tokens[first], kind="word", means=means.lower(), end=tokens[last].end)
    return None


def _first_part(text: str, tokens: Sequence[DictatedToken], at: int) -> int:
    place = at
    while place > 0 and _joins(text, tokens[place - 1], tokens[place]):
        place -= 1
    return place


def _last_part(text: str, tokens: Sequence[DictatedToken], at: int) -> int:
    place = at
    while place + 1 < len(tokens) and _joins(text, tokens[place], tokens[place + 1]):
        place += 1
    return place


def _joins(text: str, before: DictatedToken, after: DictatedToken) -> bool:
    """Whether two tokens are parts of the same address."""
    letters = before.spelled and after.spelled
    between = _BETWEEN_LETTERS if before.kind == "letter" else _BETWEEN_PARTS
    if not between.fullmatch(text, before.end, after.start):
        return False
    if letters or not {before.kind, after.kind}.isdisjoint({"sign", "mark"}):
        return True
    # "g mail" and "j smith" are one word; "a shop" is not.
    return before.kind == "letter" and before.means.casefold() not in {"a", "i"}


def _join_part(part: Sequence[DictatedToken]) -> str:
    return "".join(token.means for place, token in enumerate(part) if not _is_separator(part, place))


def _is_separator(part: Sequence[DictatedToken], place: int) -> bool:
    """Whether a mark only separates letters that were said one by one: "A-N-A"."""
    if part[place].kind != "mark":
        return False
    return part[place - 1].spelled and part[place + 1].spelled


def tokenize_dictation(text: str, words: ListeningWords) -> list[DictatedToken]:
    """Returns the text's tokens, in order: "double o, A as in Anna" gives "oo" and "A"."""
    pattern = re.compile(f"{_letter_with_a_word(words.as_in)}|{_WORD_OR_SIGN}", re.IGNORECASE)
    return list(
        _expand_repeats(
            list(_join_tens([_token(match, words) for match in pattern.finditer(text)])), text, words
        )
    )


def _letter_with_a_word(as_in: WordList) -> str:
    either = "|".join(re.escape(phrase) for phrase in as_in) or r"(?!)"
    return rf"\b(?P<letter>[^\W\d_])[\s,]+(?:{either})\s+(?P=letter)[^\W\d_]+"


def _token(match: re.Match[str], words: ListeningWords) -> DictatedToken:
    whole, word = match[0], plain_words(match[0])
    start, end = match.span()
    if match["letter"]:
        return DictatedToken(kind="letter", means=match["letter"], start=start, end=end)
    if match["mark"]:
        return DictatedToken(kind="mark", means=whole, start=start, end=end)
    if match["sign"] or word in words.signs:
        return DictatedToken(kind="sign", means=words.signs.get(word, whole), start=start, end=end)
    if word in words.numerals or _CODE.fullmatch(whole):
        return DictatedToken(kind="digits", means=words.numerals.get(word, whole), start=start, end=end)
    return DictatedToken(kind="letter" if len(whole) == 1 else "word", means=whole, start=start, end=end)


def _join_tens(tokens: Sequence[DictatedToken]) -> Iterator[DictatedToken]:
    """Joins "eighty five" to one number, with or without a hyphen."""
    rest = list(tokens)
    while rest:
        first = rest.pop(0)
        unit = 1 if len(rest) > 1 and rest[0].means == "-" and rest[0].kind == "mark" else 0
        if _is_tens(first) and len(rest) > unit and _is_unit(rest[unit]):
            first = replace(first, means=first.means[0] + rest[unit].means, end=rest[unit].end)
            del rest[: unit + 1]
        yield first


def _is_tens(token: DictatedToken) -> bool:
    # Only for words: the digits "20 5" stay separate. "ten" and "eleven" take no unit.
    written = token.end - token.start == len(token.means)
    return token.kind == "digits" and not written and bool(re.fullmatch(r"[2-9]0", token.means))


def _is_unit(token: DictatedToken) -> bool:
    written = token.end - token.start == 1
    return token.kind == "digits" and not written and token.means in set("123456789")


def _expand_repeats(
    tokens: Sequence[DictatedToken], text: str, words: ListeningWords
) -> Iterator[DictatedToken]:
    times, start = 1, 0
    for token, after in zip(tokens, [*tokens[1:], None], strict=False):
        many = words.repeats.get(plain_words(text[token.start : token.end]), 0)
        if many and after and after.spelled and len(after.means) == 1:
            times, start = many, token.start
        elif times > 1:
            yield replace(token, means=token.means * times, start=start)
            times = 1
        else:
            yield token
