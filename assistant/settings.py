"""Every setting of an operator: from the environment (`ASSISTANT_*`) or a `.env` file, checked at start."""

import os
from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from assistant.errors import DeclarationError

_PREFIX = "ASSISTANT_"


class Settings(BaseSettings):
    """What an operator can set. Each field is the environment variable `ASSISTANT_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_file=".env", extra="ignore", frozen=True)

    data_dir: Path = Field(
        default=Path("data"), description="where the log, the secret and the demo CRM are kept"
    )
    tools_dir: Path | None = Field(
        default=None, description="the folder of tools; the project's own when left out"
    )
    prompts_dir: Path | None = Field(
        default=None, description="the folder of prompts; the project's own when left out"
    )
    model: str = Field(default="offline", description="the decision model: 'offline' or 'openai/<name>'")
    narrator_model: str | None = Field(
        default=None, description="the narrator; the decision model when left out"
    )
    temperature: float | None = Field(default=None, ge=0, le=2, description="of the decision model")
    narrator_temperature: float | None = Field(default=None, ge=0, le=2, description="of the narrator")
    max_tokens: int = Field(
        default=1024, ge=1, description="the longest reply of the decision model, in tokens"
    )
    narrator_max_tokens: int = Field(
        default=1024, ge=1, description="the longest reply of the narrator, in tokens"
    )
    first_token_s: float = Field(
        default=20, gt=0, description="how long a model may take to begin, in seconds"
    )
    next_token_s: float = Field(default=15, gt=0, description="how long a model may fall silent, in seconds")
    turn_s: float = Field(default=30, gt=0, description="how long the tools of one turn may take, in seconds")
    now: datetime | None = Field(
        default=None, description="the time at which the clock starts; the real time when left out"
    )
    time_zone: str | None = Field(
        default=None, description="such as 'Europe/Stockholm'; the machine's when left out"
    )
    developer: bool = Field(
        default=False, description="clients may ask for tool names, arguments and results"
    )
    demo: bool = Field(default=True, description="visitors are the demo shop's customer")
    origins: list[str] = Field(default=[], description="further web origins that may connect")


def load_settings(**overrides: Any) -> Settings:
    """Read the settings. Raises ``DeclarationError`` that names each wrong one, its value and what fits."""
    _refuse_unknown(os.environ)
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        problems = "\n".join(
            f"{_PREFIX}{'_'.join(map(str, problem['loc'])).upper()}={problem['input']!r}: {problem['msg']}"
            f"{_meaning(str(problem['loc'][0]))}"
            for problem in error.errors()
        )
        raise DeclarationError(problems) from error


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """A misspelt setting would be passed over in silence, and be looked for in the wrong place."""
    known = [f"{_PREFIX}{name.upper()}" for name in Settings.model_fields]
    for name in environ:
        if name.startswith(_PREFIX) and name.upper() not in known:
            close = get_close_matches(name.upper(), known, n=1, cutoff=0.8)
            cure = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
            raise DeclarationError(f"{name}={environ[name]!r}: there is no such setting; {cure}")


def _meaning(name: str) -> str:
    field = Settings.model_fields.get(name)
    return f" ({field.description})" if field is not None and field.description else ""
