"""Reads calls that are written as JSON, while they come."""

from collections.abc import Collection, Generator
from typing import Final

from assistant.conversation.values import Json, JsonObject
from assistant.toolchain.asked import Read
from assistant.toolchain.cursor import Cursor, Cut, Steps
from assistant.toolchain.growing import CUT_OFF, GrowingCalls, Written
from assistant.toolchain.loose_json import LooseJson, NotRead
from assistant.toolchain.scaffold import NOTHING, Label, Scaffold
from assistant.toolchain.shapes import NotACall

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
