"""Reads the tools' texts, and examples of how customers ask for them, from the TOML file of the same name."""

import tomllib
from pathlib import Path
from typing import cast

from typing_extensions import TypedDict


class Texts(TypedDict, total=False, closed=True):
    """The texts of one tool: options of ``@tool``, templates by language."""

    examples: list[str]
    narration: dict[str, str]
    confirmation: dict[str, str]


def read_texts(file: str) -> dict[str, Texts]:
    """Read the texts of each tool in a file: ``read_texts(__file__)`` in ``orders.py`` reads ``_orders.toml``."""
    path = Path(file)
    written = tomllib.loads(path.with_name(f"_{path.stem}.toml").read_text(encoding="utf-8"))
    german = written.pop("german", {})
    tools = cast("dict[str, Texts]", written)
    for texts in tools.values():
        for templates in (texts.get("narration", {}), texts.get("confirmation", {})):
            if "de" in templates:
                templates["de"] = f"{{% set german = {german} %}}{templates['de']}"
    return tools
