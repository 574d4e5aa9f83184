"""Approved tools: what each server says of a tool, which of that was approved, and what has changed since."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from assistant.conversation.values import Json, JsonObject
from assistant.tools.declaration_errors import Mistake, declaration_error, source_location


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A tool as its server describes it; strangers' text until somebody has approved it.

    ``input`` and ``output`` are JSON schemas. ``annotations`` are the server's own claims about the tool
    (``readOnlyHint`` and others): shown to whoever approves it, never believed.
    """

    name: str
    description: str = ""
    input: JsonObject = field(default_factory=dict[str, Json])
    output: JsonObject | None = None
    annotations: JsonObject = field(default_factory=dict[str, Json])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all of it: another one means that something has changed.

        >>> one = Definition(name="ping", input={"type": "object", "properties": {}})
        >>> one.fingerprint == Definition(name="ping", input={"properties": {}, "type": "object"}).fingerprint
        True
        """
        told = [self.name, self.description, self.input, self.output, self.annotations]
        return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


APPROVAL_FILE = "mcp.approved.json"

Approved: TypeAlias = Mapping[str, Mapping[str, Definition]]
"""What was approved, by server and by the tool's own name."""


class _ApprovedTool(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str = ""
    input: dict[str, JsonValue]
    output: dict[str, JsonValue] | None = None
    annotations: dict[str, JsonValue] = {}
    hash: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    servers: dict[str, dict[str, _ApprovedTool]] = {}


def read_approved(folder: Path) -> Approved:
    """What has been approved in this folder; nothing when there is no such file.

    Raises:
        DeclarationError: the file cannot be read, or was changed by hand; with the cure.
    """
    file = folder / APPROVAL_FILE
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
    beside = folder / f".{APPROVAL_FILE}"
    beside.write_text(f"{text}\n", encoding="utf-8")
    beside.replace(folder / APPROVAL_FILE)


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


def _definition(name: str, kept: _ApprovedTool) -> Definition:
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
                yield Mistake(
                    source_location(file, line), f"{server}.{name} is not what was approved; {cure}"
                )


def _wrong(file: Path, line: int, what: str) -> Exception:
    cure = "put back the last version that was good, or delete it and approve anew"
    return declaration_error([Mistake(source_location(file, line), f"{what}; {cure}")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The names of the tools that nobody has approved as they are, each sorted."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.removed)

    def __str__(self) -> str:
        """``changed: a, b; new: c``."""
        kinds = (("changed", self.changed), ("removed", self.removed), ("new", self.new))
        return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds if names)


def changes(approved: Mapping[str, Definition], offered: Mapping[str, Definition]) -> Changes:
    """Compare the two, by the tools' names.

    >>> old, now = Definition(name="a"), Definition(name="a", description="other")
    >>> str(changes({"a": old, "b": old}, {"a": now, "c": now}))
    'changed: a; removed: b; new: c'
    """
    return Changes(
        new=tuple(sorted(offered.keys() - approved.keys())),
        changed=tuple(
            sorted(
                name
                for name in approved.keys() & offered.keys()
                if approved[name].fingerprint != offered[name].fingerprint
            )
        ),
        removed=tuple(sorted(approved.keys() - offered.keys())),
    )
