"""The company's voice: what needs no template language, from ``voice.toml``."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from assistant.prompts.forbidden import ForbiddenPhrases, usable
from assistant.prompts.hours import Hours, HoursSection
from assistant.prompts.language import language
from assistant.prompts.toml_files import Section, read_toml

_Text = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
_Locale = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """How the assistant presents itself.

    ``currency`` is an ISO 4217 code; ``tone`` a phrase after "Your tone is"; ``avoid`` holds topics that a
    model is told to decline; ``forbidden`` phrases are never shown, whoever says them, in whatever language.
    ``hours`` is when people can be reached; None: always.
    ``locales`` has the voices of other locales: what they do not say themselves is the same in all.
    """

    name: str
    company: str
    currency: str
    tone: str
    greeting: str
    starters: tuple[str, ...]
    disclosure: str
    avoid: tuple[str, ...]
    forbidden: tuple[str, ...]
    hours: Hours | None = None
    locales: Mapping[str, "Voice"] = field(default_factory=dict[str, "Voice"], hash=False)

    def in_locale(self, locale: str) -> "Voice":
        """The voice as it greets in this locale ("de-AT"), in its language, or else as it stands."""
        return self.locales.get(locale) or self.locales.get(language(locale)) or self

    def forbids(self, text: str) -> bool:
        """Whether a forbidden phrase stands in the text, as words of their own, in whatever case."""
        guard = self.guard()
        return guard.push(text) + guard.close() != text

    def guard(self) -> ForbiddenPhrases:
        """A fresh filter for one message's stream."""
        return ForbiddenPhrases(self.forbidden)


class _InLocale(Section):
    greeting: _Text | None = None
    starters: tuple[_Text, ...] | None = Field(default=None, max_length=6)
    disclosure: _Text | None = None


class _VoiceFile(Section):
    name: _Text
    company: _Text
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    tone: _Text
    greeting: _Text
    starters: tuple[_Text, ...] = Field(default=(), max_length=6)
    disclosure: _Text
    avoid: tuple[_Text, ...] = ()
    forbidden: tuple[_Text, ...] = ()
    hours: HoursSection | None = None
    locales: dict[_Locale, _InLocale] = Field(default_factory=dict[str, _InLocale])

    @field_validator("forbidden")
    @classmethod
    def _has_words(cls, phrases: tuple[str, ...]) -> tuple[str, ...]:
        for phrase in phrases:
            if not usable(phrase):
                raise ValueError(f"{phrase!r} has no word in it")
        return phrases


def read_voice(source: str, where: str) -> Voice:
    """Read ``voice.toml``; ``where`` names it in errors. Raises ``DeclarationError``."""
    file = read_toml(source, _VoiceFile, where)
    hours = file.hours.hours() if file.hours is not None else None
    plain = {name: value for name, value in file if name not in ("locales", "hours")}
    everywhere = Voice(**plain, hours=hours)
    return replace(
        everywhere,
        locales=MappingProxyType(
            {
                locale: replace(everywhere, **own.model_dump(exclude_none=True))
                for locale, own in file.locales.items()
            }
        ),
    )
