"""The tools that somebody has looked at, in a file that lies beside ``mcp.toml`` and is reviewed with it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from assistant.conversation.values import Json
from assistant.mcp.definition import Definition
from assistant.tooling.declaration_errors import Mistake, declaration_error, place

FILE = "mcp.approved.json"

Approved: TypeAlias = Mapping[str, Mapping[str, Definition]]
"""What was approved, by server and by the tool's own name."""


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str = ""
    input: dict[str, JsonValue]
    output: dict[str, JsonValue] | None = None
    annotations: dict[str, JsonValue] = {}
    hash: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    servers: dict[str, dict[str, _Kept]] = {}


def read_approved(folder: Path) -> Approved:
    """What has been approved in this folder; nothing when there is no such file.

    Raises:
        DeclarationError: the file cannot be read, or was changed by hand; with the cure.
    """
    file = folder / FILE
    if not file.exists():
        return {}
    if not (file.is_file() or file.is_dir()):
        raise _wrong(file, 1, "not a regular file")
    try:
        kept = _File.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        raise _wrong(file, error.lineno, f"not valid JSON: {error.msg}") from error
    except (ValidationError, UnicodeDecodeError, OSError) as error:
        what = error.errors()[0]["msg"].lower() if isinstance(error, ValidationError) else str(error)
        raise _wrong(file, 1, f"cannot be used: {what}") from error
    approved = {
        server: {name: _definition(name, one) for name, one in tools.items()}
        for server, tools in kept.servers.items()
    }
    if mistakes := [*_changed_by_hand(file, approved, kept)]:
        raise declaration_error(mistakes)
    return approved


def write_approved(folder: Path, approved: Approved) -> None:
    """Write the file, sorted, so that its changes can be reviewed. Raises ``OSError``."""
    servers = {server: _kept(tools) for server, tools in sorted(approved.items()) if tools}
    text = json.dumps({"servers": servers}, indent=2, ensure_ascii=False)
    # Put in place at once: a server that is running must never see half of it.
    beside = folder / f".{FILE}"
    beside.write_text(f"{text}\n", encoding="utf-8")
    beside.replace(folder / FILE)


def _kept(tools: Mapping[str, Definition]) -> Mapping[str, Json]:
    return {
        name: {
            "description": one.description,
            "input": one.input,
            **({} if one.output is None else {"output": one.output}),
            **({"annotations": one.annotations} if one.annotations else {}),
            "hash": one.fingerprint,
        }
        for name, one in sorted(tools.items())
    }


def _definition(name: str, kept: _Kept) -> Definition:
    return Definition(
        name=name,
        description=kept.description,
        input=kept.input,
        output=kept.output,
        annotations=kept.annotations,
    )


def _changed_by_hand(file: Path, approved: Approved, kept: _File) -> Iterator[Mistake]:
    lines = file.read_text(encoding="utf-8").splitlines()
    for server, tools in approved.items():
        for name, one in tools.items():
            written = kept.servers[server][name].hash
            if written != one.fingerprint:
                line = next((at for at, text in enumerate(lines, start=1) if written in text), 1)
                cure = f"look at it again: assistant tools approve {server} {name}"
                yield Mistake(place(file, line), f"{server}.{name} is not what was approved; {cure}")


def _wrong(file: Path, line: int, what: str) -> Exception:
    cure = "put back the last version that was good, or delete it and approve anew"
    return declaration_error([Mistake(place(file, line), f"{what}; {cure}")])
