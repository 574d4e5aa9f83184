"""Hostile texts: each tries to end its quotation and to begin something of its own."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Hostile:
    """One of them; ``kind`` is what it is made of."""

    kind: str
    text: str


def _read() -> tuple[Hostile, ...]:
    lines = Path(__file__).with_name("hostile.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Hostile(**json.loads(line)) for line in lines)


HOSTILE = _read()
TEXTS = tuple(each.text for each in HOSTILE)
