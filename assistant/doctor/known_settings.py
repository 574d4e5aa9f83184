"""Reads as many settings as possible: a wrong setting gets its default, and a finding."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_settings import DotEnvSettingsSource

from assistant.errors import DeclarationError
from assistant.findings import Finding, Wrong
from assistant.settings import Settings
from assistant.settings_sources import environment
from assistant.tenants import load_settings

_PREFIX = "ASSISTANT_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """``settings`` has defaults in place of wrong values, ``wrong`` has the problems, and ``places`` the source
    of each variable.

    ``places``: "the environment" or ".env", by the variable's name; it contains no values.
    """

    settings: Settings
    wrong: tuple[Finding, ...]
    places: Mapping[str, str]

    def set_in(self, name: str) -> str:
        """The source of a setting: "the environment", ".env", or "default"."""
        upper = f"{_PREFIX}{name}".upper()
        return next((place for one, place in self.places.items() if one.upper() == upper), "default")


def read_settings() -> Known:
    """The settings. A wrong setting gets its default and a finding; no error is raised."""
    try:
        settings, wrong = load_settings(), ()
    except DeclarationError as error:
        settings, wrong = _mended(), tuple(Wrong("settings", line) for line in str(error).splitlines())
    return Known(settings=settings, wrong=wrong, places=_places())


def _mended() -> Settings:
    """The settings with the default in place of each wrong value."""
    file = ".env" if _readable() else None
    try:
        return Settings(_env_file=file)  # pyright: ignore[reportCallIssue] - pydantic-settings' own argument
    except ValidationError as error:
        names = {str(problem["loc"][0]) for problem in error.errors()}
        given = {name: Settings.model_fields[name].get_default(call_default_factory=True) for name in names}
        return Settings(_env_file=file, **given)  # pyright: ignore[reportCallIssue]


def _readable() -> bool:
    try:
        environment()
    except DeclarationError:
        return False
    return True


def _places() -> dict[str, str]:
    found: dict[str, str] = {}
    if _readable():
        written = DotEnvSettingsSource(Settings, case_sensitive=True).env_vars
        found |= {name: ".env" for name, value in written.items() if value}
    return found | {name: "the environment" for name, value in os.environ.items() if value}
