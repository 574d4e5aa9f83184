"""What the embedded demo model says in words of its own: one typed input for each template."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from assistant.prompts.prompt import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineHelp(Utterance):
    """What the assistant can do, from the tools' ``will`` hints; said when nothing fits.

    ``unmatched`` is False when the customer asked what it can do. ``person`` is the ``will`` hint of the tool that
    asks for a person, where that is offered.
    """

    template: ClassVar[str] = "offline_help.j2"
    abilities: tuple[str, ...]
    person: str = ""
    unmatched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineAsk(Utterance):
    """Asks for an argument that is missing.

    ``argument`` and ``description`` are the parameter's own, ``choices`` its values where they are known,
    ``will`` the tool's hint.
    """

    template: ClassVar[str] = "offline_ask.j2"
    will: str
    argument: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineProve(Utterance):
    """Asks for what shows who the customer is: the parameters' names; all of them (``first``), or what lacks."""

    template: ClassVar[str] = "offline_prove.j2"
    arguments: tuple[str, ...]
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineUnsure(Utterance):
    """Asks back between the things that the request may have meant, as ``will`` hints."""

    template: ClassVar[str] = "offline_unsure.j2"
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineRemembered(Utterance):
    """Tells one thing of a result by itself.

    ``place`` is its number in the list, 0 where nobody asked by that; ``name`` what it is called, "" where that is
    not known, or is what was asked. ``fields`` are a key, its value and its kind each: "amount", "moment" (ISO),
    "name", "place", "state" (which may be another by now) or "other". ``past``: it was asked what it was.
    """

    template: ClassVar[str] = "offline_remembered.j2"
    place: int
    name: str
    fields: tuple[tuple[str, str, str], ...]
    past: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineSmalltalk(Utterance):
    """Answers what is no request."""

    template: ClassVar[str] = "offline_smalltalk.j2"
    about: Literal["greeting", "thanks", "goodbye"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineForeign(Utterance):
    """Says that nothing but English is understood, in the customer's language and in English.

    ``language`` is what the customer seems to write in ("German"), "" where that is not known.
    """

    template: ClassVar[str] = "offline_foreign.j2"
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineNote(Utterance):
    """The fine print that says what the demo model is."""

    template: ClassVar[str] = "offline_note.j2"


ENGLISH_ONLY = (OfflineHelp, OfflineAsk, OfflineProve, OfflineRemembered, OfflineUnsure, OfflineSmalltalk)
"""What is only ever said in reply to English, since the demo model understands nothing else."""
