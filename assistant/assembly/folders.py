"""What the folders of prompts and tools hold at one moment."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant.mcp import approved, read_file
from assistant.prompts.folder import is_hidden, shown
from assistant.settings import Settings
from assistant.shipped import own_or_shipped

_PROMPTS = frozenset((".j2", ".toml"))
_TOOLS = frozenset((".py", ".sql", ".j2", ".toml", ".yaml", ".yml"))
"""What tools are written in. Anything else beside them may be data, which they change themselves."""

_OF_SERVERS = frozenset((read_file.FILE, approved.FILE))
"""What is said of tools that servers run: a change of it is none of the code beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A hash of each file, by its path in its folder.

    ``left_out`` are pipes, devices and sockets with a name that is read: reading one may never end.
    """

    prompts: Mapping[str, str]
    tools: Mapping[str, str]
    left_out: tuple[str, ...] = field(default=(), compare=False)

    @property
    def code(self) -> Mapping[str, str]:
        """The files of the tools that are written here."""
        return {name: content for name, content in self.tools.items() if name not in _OF_SERVERS}

    @property
    def tools_hash(self) -> str:
        """One hash for all files of the tools; the same files give the same anywhere."""
        return _hash(repr(sorted(self.tools.items())).encode())

    def bundle(self, prompts: str) -> str:
        """The name of these tools together with the prompts of this hash: 16 hex digits."""
        return _hash(f"{prompts} {self.tools_hash}".encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Where prompts and tools are edited."""

    prompts: Path
    tools: Path

    @classmethod
    def of(cls, settings: Settings) -> "Folders":
        """The ones that the settings name, or those that come with the package."""
        return cls(
            prompts=own_or_shipped(settings.prompts_dir, "prompts"),
            tools=own_or_shipped(settings.tools_dir, "tools"),
        )

    def contents(self) -> Contents:
        """What they hold now. A folder or file that is missing, or goes while one looks, is not in it."""
        left_out: list[str] = []
        return Contents(
            prompts=_hashes(self.prompts, _PROMPTS, left_out),
            tools=_hashes(self.tools, _TOOLS, left_out, _OF_SERVERS),
            left_out=tuple(left_out),
        )

    def changes(self, before: Contents, after: Contents) -> list[str]:
        """The files that were added, edited or removed in between, as an editor would name them."""
        return [
            f"{shown(folder)}/{name}"
            for folder, old, new in (
                (self.prompts, before.prompts, after.prompts),
                (self.tools, before.tools, after.tools),
            )
            for name in sorted({*old, *new})
            if old.get(name) != new.get(name)
        ]


def _hashes(
    folder: Path, kinds: Collection[str], left_out: list[str], also: Collection[str] = ()
) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if (path.suffix not in kinds and name.as_posix() not in also) or is_hidden(name):
            continue
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                left_out.append(f"{shown(folder)}/{name.as_posix()}")
                continue
            found[name.as_posix()] = _hash(path.read_bytes())
        except FileNotFoundError:  # an editor is about to put another in its place
            continue
        except OSError as error:
            # A change like any other: whoever takes it up will say what is wrong with it.
            found[name.as_posix()] = f"unreadable: {error.strerror}"
    return found


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
