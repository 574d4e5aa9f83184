"""How long customers waited lately for the answers that each tool had a part in."""

from collections.abc import Callable, Sequence

UNKNOWN_S = 1.5
"""What is assumed of a tool that nobody has waited for yet."""

_NEWEST_COUNTS = 0.3


class Waits:
    """Remembers, for as long as the process lives, a moving average for each tool.

    Args:
        declared: how long a tool says that it takes, in seconds; None where it does not say.
    """

    def __init__(self, declared: Callable[[str], float | None] = lambda _: None) -> None:
        self._declared = declared
        self._lately: dict[str, float] = {}

    def expected_s(self, tools: Sequence[str]) -> float:
        """How long the answer will take from the moment these tools are decided on: as long as the slowest."""
        return max(map(self._one_s, tools), default=UNKNOWN_S)

    def note(self, tools: Sequence[str], seconds: float) -> None:
        """The answer took so long from the moment these tools were decided on."""
        for tool in tools:
            before = self._lately.get(tool, seconds)
            self._lately[tool] = before + (seconds - before) * _NEWEST_COUNTS

    def _one_s(self, tool: str) -> float:
        if tool in self._lately:
            return self._lately[tool]
        declared = self._declared(tool)
        return UNKNOWN_S if declared is None else max(UNKNOWN_S, declared)
