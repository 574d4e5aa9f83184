"""What a server offers now, beside what has been approved of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.mcp.definition import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The names of the tools that nobody has approved as they are, each sorted."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.removed)

    def __str__(self) -> str:
        """``changed: a, b; new: c``."""
        kinds = (("changed", self.changed), ("removed", self.removed), ("new", self.new))
        return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds if names)


def changes(approved: Mapping[str, Definition], offered: Mapping[str, Definition]) -> Changes:
    """Compare the two, by the tools' names.

    >>> old, now = Definition(name="a"), Definition(name="a", description="other")
    >>> str(changes({"a": old, "b": old}, {"a": now, "c": now}))
    'changed: a; removed: b; new: c'
    """
    return Changes(
        new=tuple(sorted(offered.keys() - approved.keys())),
        changed=tuple(
            sorted(
                name
                for name in approved.keys() & offered.keys()
                if approved[name].fingerprint != offered[name].fingerprint
            )
        ),
        removed=tuple(sorted(approved.keys() - offered.keys())),
    )
