"""Remembers sizes, so that a request of a long conversation is measured as quickly as one of a short one."""

from functools import lru_cache, partial

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import TurnView
from assistant.formats.turns import Finished
from assistant.memory.budget.sizes import PER_MESSAGE, PER_REQUEST, text_tokens, tools_tokens, turn_tokens
from assistant.ports import Counter

_LINES = 2_048
"""Instructions differ from request to request in a few lines; the others are counted once, a summary among them,
which is one long line.
"""

_TEXTS, _LONGEST = 2_048, 2_000
"""So many texts are remembered, none longer than that: names, arguments, and what stands in a turn, which is
given to the decision model, then to the narrator, and to both again when it is over.
"""


class _Once:
    """Counts a text that it has just counted no more."""

    __slots__ = ("_count", "_counter", "name")

    def __init__(self, counter: Counter) -> None:
        self.name = counter.name
        self._counter = counter
        self._count = lru_cache(maxsize=_TEXTS)(counter.count)

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return self._count(text) if len(text) <= _LONGEST else self._counter.count(text)


class RememberedSizes:
    """What a counter counts: once for each turn as long as it lives, each list of tools, line and short text.

    A counter that comes to count otherwise, such as one whose vocabulary is being read, has another name then:
    everything is counted anew.
    """

    __slots__ = ("_counter", "_line", "_once", "_tools", "_turns")

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._forget()

    def turn(self, turn: TurnView) -> int:
        """What a turn takes."""
        self._look_again()
        size = self._turns.get(turn)
        if size is None:
            size = turn_tokens(turn, self._once)
            self._turns.keep(turn, size)
        return size

    def text(self, text: str) -> int:
        """What a text takes, line by line: nothing less than in one piece."""
        self._look_again()
        return sum(map(self._line, text.splitlines(keepends=True)))

    def frame(self, system: str, late: str, tools: tuple[ToolSpec, ...]) -> int:
        """What a request takes without any conversation."""
        return PER_REQUEST + 2 * PER_MESSAGE + self.text(system) + self.text(late) + self.tools(tools)

    def tools(self, tools: tuple[ToolSpec, ...]) -> int:
        """What a list of tools takes; the last one is remembered, until another comes."""
        self._look_again()
        if not tools:
            return 0  # The narrator may call in one round and not in the next.
        if self._tools[0] is not tools:
            self._tools = tools, tools_tokens(tools, self._once)
        return self._tools[1]

    def _look_again(self) -> None:
        if self._counter.name != self._once.name:
            self._forget()

    def _forget(self) -> None:
        self._once = _Once(self._counter)
        self._line = lru_cache(maxsize=_LINES)(partial(text_tokens, counter=self._counter))
        self._turns = Finished[int]()
        self._tools: tuple[tuple[ToolSpec, ...], int] = ((), 0)
