"""One cassette of each kind; as a program it prints the digest of each result."""

import hashlib

import orjson
import structlog

from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Cassette, Turn
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment, environment_with
from assistant.replay.player.play import replay
from assistant.server.frames.frame import encode
from tests.replay.player.written_cassettes import (
    cancelling,
    cassette,
    decides,
    disconnect,
    restart,
    stop,
    thanks,
    two_lookups,
)

EVERY: dict[str, Cassette] = {
    "plain": cassette(two_lookups(), thanks()),
    "stop": cassette(two_lookups(stop(at_ms=845)), thanks()),
    "barge-in": cassette(two_lookups(), thanks(barge_in_ms=850)),
    "queue": cassette(two_lookups(), thanks(at_ms=10), thanks(at_ms=10)),
    "cut": cassette(two_lookups(disconnect(2000, after="It's")), thanks()),
    "snapshot": cassette(two_lookups(disconnect(600, at_ms=0)), thanks()),
    "restart": cassette(two_lookups(restart(at_ms=320)), thanks()),
    "side effect": cassette(*cancelling(restart(at_ms=50))),
    "unscripted": cassette(Turn(customer="Hello"), thanks()),
    "German": cassette(
        Turn(customer="Wann ist mein Termin?", locale="de", replies=(decides(says="Am Dienstag."),))
    ),
    "stalls": cassette(
        Turn(customer="Hello", replies=(decides(says="Good day", ends="stalls"), decides(says="Hi")))
    ),
}


def digest(played: Played) -> str:
    """The hash of everything that came of it: each frame, each entry, each note, to the byte."""
    frames = [[heard.at_ms, encode(dict(heard.frame))] for heard in played.frames]
    everything = [played.began_ms, frames, played.entries, played.unscripted, played.bundle]
    return hashlib.sha256(orjson.dumps(everything)).hexdigest()


def digests(environment: ReplayEnvironment, names: list[str]) -> dict[str, str]:
    """The digest of each of these cassettes, played one after the other."""
    return {name: digest(replay(EVERY[name], environment)) for name in names}


def _drop(*_: object) -> str:
    raise structlog.DropEvent


if __name__ == "__main__":
    structlog.configure(processors=[_drop])
    print(orjson.dumps(digests(environment_with(shipped_book()), list(EVERY))).decode())
