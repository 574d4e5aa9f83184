"""The record of one conversation, and the file with the hashes of all records."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.testing.scene import scene_of

SECTIONS: Final = ("requests", "frames", "texts")
HASHES: Final = Path(__file__).parent / "hashes.txt"
_HEAD: Final = """\
# SHA-256 of what every conversation of the golden record comes to: requests to models, frames, customers' texts.
# Written by `python -m tests.golden renew`; CONTRIBUTING.md says when.
"""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model: who asked, when, in which provider's form, and the bytes of its body.

    ``at_ms`` is None where only the order is known. ``headers`` are those that went with it, where it went through
    a provider's client.
    """

    at_ms: int | None
    role: str
    form: str
    body: bytes
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One conversation's sections, each a file in which lines end with a newline."""

    requests: bytes
    frames: bytes
    texts: bytes

    def section(self, name: str) -> bytes:
        """The section of that name."""
        return {"requests": self.requests, "frames": self.frames, "texts": self.texts}[name]


Hashes = dict[tuple[str, str], str]
"""SHA-256 by the name of the conversation and of the section."""


def record_of(
    requests: Iterable[Request], frames: Iterable[tuple[int, object]], texts: Iterable[str]
) -> Record:
    """A record. ``frames`` are each a time in ms and what was sent then."""
    return Record(
        b"".join(line for request in requests for line in _lines(request)),
        b"".join(b"%d %b\n" % (at_ms, canonical(frame)) for at_ms, frame in frames),
        "".join(f"{text}\n" for text in texts).encode(),
    )


def canonical(value: object) -> bytes:
    """JSON in one spelling only: keys in order, no spaces."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def texts_of(state: ConversationState) -> Sequence[str]:
    """What was said, and then each turn with its calls."""
    said = [f"{line.speaker} {line.name or line.kind or ''}: {line.text}" for line in transcript(state)]
    turns = [f"\n{turn.message.text}\n{scene_of(turn)}\n({turn.how})" for turn in state.turns]
    return [*said, *turns]


def hashes_of(name: str, record: Record) -> Hashes:
    """The hash of each section."""
    return {(name, section): hashlib.sha256(record.section(section)).hexdigest() for section in SECTIONS}


def read_hashes() -> Hashes:
    """The hashes that the repository has."""
    lines = (line.split() for line in HASHES.read_text(encoding="utf-8").splitlines())
    return {(words[0], words[1]): words[2] for words in lines if words and words[0] != "#"}


def write_hashes(hashes: Hashes) -> None:
    """Write the repository's hashes, in the order of their names."""
    lines = (f"{name} {section} {hashes[name, section]}\n" for name, section in sorted(hashes))
    HASHES.write_text(_HEAD + "".join(lines), encoding="utf-8")


def write_record(folder: Path, name: str, record: Record) -> None:
    """Write the sections in full, each into a file of its own."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    for section in SECTIONS:
        (place / f"{section}.txt").write_bytes(record.section(section))


def _lines(request: Request) -> Iterable[bytes]:
    when = "" if request.at_ms is None else f"at {request.at_ms} ms, "
    yield f"# {when}the {request.role}, {request.form}\n".encode()
    if request.headers is not None:
        yield b"# " + canonical(dict(request.headers)) + b"\n"
    yield request.body + b"\n"
