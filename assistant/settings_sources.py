"""Reads settings from the environment, from `.env` files and from the files of secrets. Refuses unknown names."""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from pydantic import SecretStr, ValidationError
from pydantic_settings import DotEnvSettingsSource

from assistant.errors import DeclarationError
from assistant.secret_files import SUFFIX, from_files, with_secret_files
from assistant.settings import FILE, PREFIX, Settings, TenantSettings


def load_installation() -> Settings:
    """Read the settings of the whole installation, without any tenant's own. Raises ``DeclarationError``."""
    written = written_settings(FILE)
    refuse_unknown(os.environ, "")
    refuse_unknown(written, f"{FILE}: ")
    given = {name: value for name, value in {**written, **os.environ}.items() if value}
    return checked_settings(Settings, "", settings_from_files(given, ""))


def secret_settings() -> list[str]:
    """Returns the settings that are secrets, in order."""
    return [name for name, field in Settings.model_fields.items() if field.annotation == (SecretStr | None)]


def settings_from_files(given: Mapping[str, str | None], where: str) -> dict[str, object]:
    """Returns the secrets whose files are named by ``ASSISTANT_<NAME>_FILE``, by setting.

    Raises ``DeclarationError``.
    """
    named = {name.upper(): value for name, value in given.items()}
    variables = {f"{PREFIX}{name.upper()}": name for name in secret_settings()}
    return {variables[name]: value for name, value in from_files(named, variables, where).items()}


_AnySettings = TypeVar("_AnySettings", bound=Settings)


def checked_settings(kind: type[_AnySettings], where: str, given: Mapping[str, object]) -> _AnySettings:
    """Returns settings of this class with the given values. Raises ``DeclarationError``, whose lines begin
    with ``where``.
    """
    try:
        return kind.model_validate(given) if given else kind()
    except ValidationError as error:
        problems = "\n".join(
            f"{where}{_place(problem['loc'])}={problem['input']!r}: "
            f"{problem['msg'].removeprefix('Value error, ')}{_meaning(str(problem['loc'][0]))}"
            for problem in error.errors()
        )
        raise DeclarationError(problems) from error


def environment(settings: Settings | None = None) -> dict[str, str]:
    """Returns all variables that are set, also those of other programs, such as ``OPENAI_API_KEY``. Names are
    not changed.

    The environment has priority over the file ``.env``, and a tenant's own file over both. An empty variable
    counts as not set.

    Raises:
        DeclarationError: a file is not UTF-8.
    """
    places = [written_settings(FILE), os.environ]
    if isinstance(settings, TenantSettings):
        places.append(written_settings(settings.folder / FILE))
    everywhere = ((name, value) for place in places for name, value in place.items())
    return with_secret_files({name: value for name, value in everywhere if value})


def written_settings(file: Path | str) -> Mapping[str, str | None]:
    """The variables in the file; empty if there is no file."""
    try:
        return DotEnvSettingsSource(Settings, case_sensitive=True, env_file=file).env_vars
    except UnicodeDecodeError as error:
        raise DeclarationError(f"{file}: not UTF-8 text ({error.reason}); save it as UTF-8") from error


def refuse_unknown(given: Mapping[str, str | None], where: str) -> None:
    """Raise ``DeclarationError`` for a variable that has the prefix of settings but is none of them.
    Otherwise a misspelt setting would be ignored silently.
    """
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    known += [f"{PREFIX}{name.upper()}{SUFFIX}" for name in secret_settings()]
    for name, value in given.items():
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            close = get_close_matches(name.upper(), known, n=1, cutoff=0.8)
            cure = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
            # The value may be a key that belongs into another setting.
            shown = "..." if re.search("KEY|SECRET|PASSWORD", name.upper()) else repr(value)
            raise DeclarationError(f"{where}{name}={shown}: there is no such setting; {cure}")


def _place(loc: tuple[int | str, ...]) -> str:
    """Returns the variable, and where in it.

    >>> _place(("model_options", "xai/grok-4.6", "calls"))
    'ASSISTANT_MODEL_OPTIONS: xai/grok-4.6: calls'
    """
    variable, *inside = (part for part in loc if isinstance(part, str))  # not a place in a list
    return ": ".join([f"{PREFIX}{variable.upper()}", *inside])


def _meaning(name: str) -> str:
    field = Settings.model_fields.get(name)
    return f" ({field.description})" if field is not None and field.description else ""
