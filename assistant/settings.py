"""Every setting of an operator: from the environment (`ASSISTANT_*`) or a `.env` file, checked at start."""

from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from assistant.errors import DeclarationError


class Settings(BaseSettings):
    """What an operator can set. Each field is the environment variable `ASSISTANT_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_", env_file=".env", extra="ignore", frozen=True)

    data_dir: Path = Field(Path("data"), description="where the log, the secret and the demo CRM are kept")
    tools_dir: Path | None = Field(None, description="the folder of tools; the project's own when left out")
    prompts_dir: Path | None = Field(
        None, description="the folder of prompts; the project's own when left out"
    )
    model: str = Field("offline", description="the decision model: 'offline' or 'openai/<name>'")
    narrator_model: str | None = Field(None, description="the narrator; the decision model when left out")
    temperature: float | None = Field(None, ge=0, le=2, description="of the decision model")
    narrator_temperature: float | None = Field(None, ge=0, le=2, description="of the narrator")
    max_tokens: int = Field(1024, ge=1, description="the longest reply of the decision model, in tokens")
    narrator_max_tokens: int = Field(1024, ge=1, description="the longest reply of the narrator, in tokens")
    first_token_s: float = Field(20, gt=0, description="how long a model may take to begin, in seconds")
    next_token_s: float = Field(15, gt=0, description="how long a model may fall silent, in seconds")
    turn_s: float = Field(30, gt=0, description="how long the tools of one turn may take, in seconds")
    now: datetime | None = Field(
        None, description="the time at which the clock starts; the real time when left out"
    )
    time_zone: str | None = Field(None, description="such as 'Europe/Stockholm'; the machine's when left out")
    developer: bool = Field(False, description="clients may ask for tool names, arguments and results")
    demo: bool = Field(True, description="visitors are the demo shop's customer")
    origins: list[str] = Field(default=[], description="further web origins that may connect")


def load_settings(**overrides: Any) -> Settings:
    """Read the settings. Raises ``DeclarationError`` that names each wrong one, its value and what fits."""
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        problems = "\n".join(
            f"ASSISTANT_{'_'.join(map(str, problem['loc'])).upper()}={problem['input']!r}: {problem['msg']}"
            f"{_meaning(str(problem['loc'][0]))}"
            for problem in error.errors()
        )
        raise DeclarationError(problems) from error


def _meaning(name: str) -> str:
    field = Settings.model_fields.get(name)
    return f" ({field.description})" if field is not None and field.description else ""
