"""Reads calls in JSON as they come, in the loose forms that models write."""

import re
from collections.abc import Collection, Generator
from typing import Final, Protocol

from assistant.conversation.values import Json, JsonObject
from assistant.models.text_protocol.growing import CUT_OFF, GrowingCalls, Written
from assistant.models.text_protocol.scaffold import NOTHING, Cursor, Cut, Label, NotACall, Scaffold, Steps
from assistant.models.text_protocol.tool_chain import Read

LONGEST: Final = 65_536
"""So many signs of calls are read in one reply."""

NO_OBJECT: Final = "no object stands there that names a tool and its arguments"


class JsonReader:
    """Objects one after another, or in a list, with what models put around them.

    ``over``: something stands there that belongs to no call, and nothing more is read.

    Args:
        tools: the names of the tools on offer.
        strict: words before the first call end it as well.
    """

    def __init__(self, tools: Collection[str], *, strict: bool = False) -> None:
        self._strict = strict
        self.over = False
        self._cursor = Cursor()
        self._calls = GrowingCalls(tools, lambda text: object_in(text, tools), self._written)
        self._start = 0
        self._where = (1, 1)
        self._tools = tools
        self._steps: Generator[None, None, None] = self._all()

    def push(self, text: str) -> list[Read]:
        """Some more of the text; gives what is known now."""
        if self.over:
            return []
        room = LONGEST - len(self._cursor.text)
        self._cursor.text += text[:room]
        self._cursor.over = self._cursor.over or len(text) > room
        return self._go_on()

    def end(self, *, cut: bool = False) -> list[Read]:  # noqa: ARG002 - an object shows by itself whether it is complete
        """The text is complete; gives what is known only now."""
        self._cursor.over = True
        return [] if self.over else self._go_on()

    @property
    def rest(self) -> str:
        """What was not read, once it is over."""
        return self._cursor.text[self._cursor.place :]

    def _go_on(self) -> list[Read]:
        if next(self._steps, self) is self:
            self.over = True
        read, self._calls.read = self._calls.read, []
        return read

    def _written(self) -> Written:
        text = self._cursor.text[self._start : self._cursor.place].strip()
        return Written(text, self._where)

    def _all(self) -> Generator[None, None, None]:
        scaffold = Scaffold(self._cursor, self._tools)
        began = said = False
        while True:
            found = yield from scaffold.skip()
            if found == "{":
                yield from self._object()
            elif isinstance(found, Label):
                yield from self._labelled(found)
            elif began or self._strict or not (yield from scaffold.skip_words()):
                break
            else:
                said = True
                continue
            began = True
        told = self._cursor.text[: self._cursor.place].strip()
        if said and not began and told.casefold().strip(" .!`\n") not in NOTHING:
            self._start, self._where = 0, (1, 1)
            self._calls.unreadable("", NO_OBJECT)

    def _object(self, label: Label | None = None) -> Steps[None]:
        """One object: a call, or with a label the arguments of one."""
        cursor = self._cursor
        self._start, self._where = cursor.place, (1, 1)
        named = self._calls.name(label.tool) if label is not None else None
        json = LooseJson(cursor, self._tools, self._calls if named is None else _Nobody())
        problem = ""
        try:
            value = yield from json.value()
            if named is not None:
                self._calls.ask(named, value)
            return
        except NotRead as error:
            problem, self._where = str(error), cursor.where(self._start)
            yield from _skip(cursor, json.depth)
        except Cut:
            self._where = cursor.where(self._start)
        if named is None:
            self._calls.break_off(problem)
        else:
            self._calls.unreadable(named.tool, problem or CUT_OFF, named)

    def _labelled(self, label: Label) -> Steps[None]:
        if (yield from self._cursor.ahead(3)) == "```":
            self._cursor.place += len((yield from self._cursor.until("\n", 40)))
        if (yield from self._cursor.sign_or_none()) == "{":
            yield from self._object(label)
            return
        self._start, self._where = self._cursor.place - len(label.written), (1, 1)
        self._cursor.place += len((yield from self._cursor.until("\n", 400)))
        named = self._calls.name(label.tool)
        self._calls.unreadable(label.tool, "its arguments are no JSON object", named)


def object_in(text: str, tools: Collection[str]) -> Json:
    """A value that is written as a text, such as the arguments of a call. Raises ``NotACall``."""
    cursor = Cursor()
    cursor.text, cursor.over = f"{text}\n", True
    try:
        next(LooseJson(cursor, tools, _Nobody()).value())
    except StopIteration as done:
        if not cursor.text[cursor.place :].strip():
            return done.value
        raise NotACall("its arguments are a text in which more than one object stands") from done
    except NotRead as error:
        raise NotACall(f"its arguments are a text that is no JSON object: {error}") from error
    except Cut as error:
        raise NotACall("its arguments are a text that ends before its object does") from error
    raise NotACall("its arguments are a text that is not complete")  # pragma: no cover - it never waits


class _Nobody:
    """Hears of objects and does nothing."""

    def opened(self, path: tuple[str, ...]) -> None: ...
    def member(self, path: tuple[str, ...], key: str, value: Json) -> None: ...
    def closed(self, path: tuple[str, ...], value: JsonObject) -> None: ...


def _skip(cursor: Cursor, depth: int) -> Steps[None]:
    """Go to the end of an object that cannot be read, so that those after it can."""
    quoted = False
    while depth and not (yield from cursor.at_end()):
        sign = cursor.text[cursor.place]
        cursor.place += 1
        if sign == "\\" and quoted:
            cursor.place += 1
        elif sign == '"':
            quoted = not quoted
        elif not quoted:
            depth += (sign in "{[") - (sign in "}]")


_DEEPEST: Final = 32
_QUOTES: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019"}
_WORDS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_WORD: Final = re.compile(r"[\w.$+-]+")
_NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?(?:[eE][+-]?\d{1,3})?")
_BEFORE_BREAK: Final = re.compile(r"\n\s*\Z")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_AS_THEY_ARE: Final = "\"'\\/`"
_UNSEEN: Final = "\ufeff\u200b"
_HEX: Final = re.compile(r"[0-9a-fA-F]{4}")


class NotRead(Exception):
    """It cannot be said what is meant; its words say what is wrong."""


class Watch(Protocol):
    """Is told what is read of objects. ``path``: the keys under which an object stands, lists left out."""

    def opened(self, path: tuple[str, ...]) -> None:
        """An object begins."""
        ...

    def member(self, path: tuple[str, ...], key: str, value: Json) -> None:
        """A member of it is complete."""
        ...

    def closed(self, path: tuple[str, ...], value: JsonObject) -> None:
        """It is complete."""
        ...


class LooseJson:
    """Reads values from a cursor.

    Args:
        cursor: where.
        words: what may stand without quotation marks: the names of tools.
        watch: who is told.
    """

    def __init__(self, cursor: Cursor, words: Collection[str], watch: Watch) -> None:
        self._cursor, self._names, self._watch = cursor, words, watch
        self.depth = 0

    def value(self, path: tuple[str, ...] = ()) -> Steps[Json]:
        """The next value. Raises ``NotRead``, and ``Cut`` at the end of the text."""
        sign = yield from self._next()
        if sign == "{":
            return (yield from self._object(path))
        if sign == "[":
            return (yield from self._list(path))
        if sign in _QUOTES:
            return (yield from self._text())
        return (yield from self._word())

    def _object(self, path: tuple[str, ...]) -> Steps[JsonObject]:
        self._enter()
        self._watch.opened(path)
        found: dict[str, Json] = {}
        while (yield from self._next()) != "}":
            key = yield from self._key()
            if key in found:
                raise NotRead(f'the key "{key}" stands there twice')
            if (yield from self._next()) != ":":
                raise NotRead(f'a colon is missing after the key "{key}"')
            self._cursor.place += 1
            found[key] = yield from self.value((*path, key))
            self._watch.member(path, key, found[key])
            yield from self._joint("}")
        self._leave()
        self._watch.closed(path, found)
        return found

    def _list(self, path: tuple[str, ...]) -> Steps[Json]:
        self._enter()
        found: list[Json] = []
        while (yield from self._next()) != "]":
            found.append((yield from self.value(path)))
            yield from self._joint("]")
        self._leave()
        return found

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotRead(f"it is nested more than {_DEEPEST} deep")
        self._cursor.place += 1

    def _leave(self) -> None:
        self.depth -= 1
        self._cursor.place += 1

    def _joint(self, end: str) -> Steps[None]:
        """What parts two members: a comma, or at least the end of a line."""
        began = self._cursor.place
        sign = yield from self._next()
        if sign == ",":
            self._cursor.place += 1
        elif sign != end and (sign in "}]" or not _BEFORE_BREAK.search(self._between(began))):
            raise NotRead(f"a comma or {end} is missing, or a quotation mark in a text has no backslash")

    def _between(self, began: int) -> str:
        return self._cursor.text[began : self._cursor.place]

    def _key(self) -> Steps[str]:
        sign = yield from self._next()
        if sign in _QUOTES:
            return (yield from self._text())
        if not (sign.isalpha() or sign in "_$"):
            raise NotRead(f"a key should stand here, and not {sign!r}")
        return (yield from self._bare())

    def _word(self) -> Steps[Json]:
        word = yield from self._bare()
        if not word:
            raise NotRead(f"a value should stand here, and not {self._cursor.text[self._cursor.place]!r}")
        if word in _WORDS:
            return _WORDS[word]
        if word in self._names:
            return word
        if _NUMBER.fullmatch(word):
            return int(word) if word.lstrip("+-").isdigit() else _float(word)
        self._cursor.place -= len(word)
        raise NotRead(f'{word} is no number and has no quotation marks: write "{word}" if it is a text')

    def _bare(self) -> Steps[str]:
        """Letters and digits; a name is at its end only where something else stands."""
        cursor = self._cursor
        while True:
            found = _WORD.match(cursor.text, cursor.place)
            if (found is None or found.end() < len(cursor.text)) or cursor.over:
                break
            yield
        word = found[0] if found else ""
        cursor.place += len(word)
        yield from cursor.sign()  # A number that the text ends in may have lost digits.
        return word

    def _text(self) -> Steps[str]:
        cursor = self._cursor
        closing = _QUOTES[cursor.text[cursor.place]]
        plain = re.compile(rf"[^\\{closing}]*")
        cursor.place += 1
        found: list[str] = []
        while (sign := (yield from cursor.sign())) != closing:
            if sign == "\\":
                cursor.place += 1
                found.append((yield from self._escaped()))
                continue
            match = plain.match(cursor.text, cursor.place)
            found.append(match[0] if match else "")
            cursor.place += len(found[-1])
        cursor.place += 1
        text = "".join(found)
        # Halves of a pair that were written as two escapes.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _paired(text) else text

    def _escaped(self) -> Steps[str]:
        cursor = self._cursor
        sign = yield from cursor.sign()
        cursor.place += 1
        if sign == "u":
            digits = yield from cursor.ahead(4)
            if not _HEX.fullmatch(digits):
                raise NotRead(f"\\u is followed by four hex digits, and not by {digits!r}")
            cursor.place += 4
            return chr(int(digits, 16))
        if sign not in _ESCAPES and sign not in _AS_THEY_ARE:
            raise NotRead(f"\\{sign} means nothing; a backslash in a text is written \\\\")
        return _ESCAPES.get(sign, sign)

    def _next(self) -> Steps[str]:
        """The next sign that is neither space nor comment."""
        cursor = self._cursor
        while True:
            sign = yield from cursor.sign()
            if sign.isspace() or sign in _UNSEEN:
                cursor.place += 1
            elif not (yield from skip_comment(cursor)):
                return sign


def skip_comment(cursor: Cursor) -> Steps[bool]:
    """Go past a comment, if one stands here: ``//`` and ``#`` to the end of the line, or ``/* */``."""
    sign = cursor.text[cursor.place]
    opening = (yield from cursor.ahead(2)) if sign == "/" else sign
    if opening not in ("//", "#", "/*"):
        return False
    closing = "*/" if opening == "/*" else "\n"
    while (found := cursor.text.find(closing, cursor.place + len(opening))) < 0:
        if cursor.over:
            cursor.place = len(cursor.text)
            return True
        yield
    cursor.place = found + len(closing)
    return True


def _float(word: str) -> float:
    value = float(word)
    if value in (float("inf"), float("-inf")):
        raise NotRead(f"{word} is too large a number")
    return value


def _paired(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)
