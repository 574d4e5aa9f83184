"""Edits that servers share, in memory."""

import itertools
from collections.abc import Collection
from dataclasses import dataclass, field

from assistant.errors import LogError


@dataclass(slots=True)
class MemoryEdits:
    """The edits in memory. While ``down``, they cannot be stored or read."""

    down: bool = False
    after: dict[tuple[str, str], tuple[str, int]] = field(
        default_factory=dict[tuple[str, str], tuple[str, int]]
    )
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    async def publish(self, tenant: str, before: Collection[str], bundle: str) -> None:
        if self.down:
            raise LogError("the database is away")
        at, earlier = next(self.numbers), {*before}
        for one in before:
            last = -1
            while (step := self.after.get((tenant, one), ("", -1)))[1] > last:
                one, last = step
                earlier.add(one)
        self.after.update({(tenant, one): (bundle, at) for one in earlier})

    async def newest(self, tenant: str, bundle: str) -> str:
        if self.down:
            raise LogError("the database is away")
        last = -1
        while (step := self.after.get((tenant, bundle), ("", -1)))[1] > last:
            bundle, last = step
        return bundle
