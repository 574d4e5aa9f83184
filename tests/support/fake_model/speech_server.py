"""A server on loopback that transcribes and speaks like OpenAI's audio endpoints."""

from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes

from assistant.formats.json_text import json_bytes
from assistant.models.speech.hosted import to_pcm, to_wav
from assistant.ports import Clock
from assistant.speech_ports import HEARD_RATE, Pcm
from tests.support.fake_model.connection import FakeServer
from tests.support.fake_model.replies import Refuses, Reply, Streams, refuses
from tests.support.fake_model.request_checks import Received
from tests.support.spoken_chat import MS_PER_CHARACTER

_RATE = 24_000


@dataclass(frozen=True, slots=True)
class Heard:
    """A request for a transcription: the sound, and the other fields of the form."""

    sound: Pcm
    fields: Mapping[str, str]


class FakeSpeechServer(FakeServer):
    """Answers in OpenAI's format: first with ``replies``, one for each request, then with generated answers.

    It transcribes every sound but silence as "some words", and speaks all characters equally fast. Use it as
    a context manager; ``url`` is the base of its API. ``heard`` and ``said`` are the requests so far, in
    order.

    Args:
        replies: the replies to the first requests.
        clock: measures the pauses in replies.
    """

    def __init__(self, *replies: Reply, clock: Clock) -> None:
        super().__init__(clock)
        self.heard: list[Heard] = []
        self.said: list[Mapping[str, str | float]] = []
        self._replies = iter(replies)

    def _answer(self, request: Received) -> Reply:
        match request.path:
            case "/v1/audio/transcriptions":
                heard = _heard(request)
                self.heard.append(heard)
                return next(self._replies, None) or writes("some words" if any(heard.sound) else "")
            case "/v1/audio/speech":
                self.said.append(request.body)
                return next(self._replies, None) or _says(request.body)
            case _:
                return Refuses(404)


def writes(text: str) -> Streams:
    """An answer with this transcription."""
    return Streams([json_bytes({"text": text})], content_type="application/json")


def sounds(*pieces: bytes) -> Streams:
    """An answer with this sound."""
    return Streams(pieces, content_type="audio/pcm")


def _says(body: Mapping[str, str]) -> Reply:
    samples = round(len(body["input"]) * MS_PER_CHARACTER * _RATE / 1_000 / float(body.get("speed", 1)))
    pcm = b"\x01\x00" * samples
    match body.get("response_format", "mp3"):
        case "pcm":
            return sounds(pcm)
        case "wav":
            return sounds(to_wav(pcm, _RATE))
        case other:
            return refuses(400, f"response_format: {other!r} is not one of 'pcm', 'wav'")


def _heard(request: Received) -> Heard:
    form = message_from_bytes(
        b"content-type: %b\r\n\r\n%b" % (request.headers["content-type"].encode(), request.body)
    )
    sound, fields = b"", dict[str, str]()
    for part in form.walk():
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes):
            continue
        if part.get_filename():
            sound = to_pcm(payload, HEARD_RATE)
        else:
            fields[str(part.get_param("name", header="content-disposition"))] = payload.decode()
    return Heard(sound, fields)
