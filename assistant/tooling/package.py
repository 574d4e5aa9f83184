"""Makes a folder, wherever it is, the package ``tools``."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

PACKAGE = "tools"

_KEPT = "__set_aside__"


def open_package(folder: Path) -> None:
    """From now on ``tools`` is this folder, for ``from tools import _crm`` as much as for ourselves.

    Modules that were imported from it before stay as they are. Those of another folder are set aside, and
    come back when it is that folder's turn again: a process may try tools of several folders.
    """
    path = str(folder.resolve())
    current = sys.modules.get(PACKAGE)
    if current is not None and _folder_of(current) == path:
        return
    aside: dict[str, dict[str, ModuleType]] = getattr(current, _KEPT, {})
    if current is not None:
        aside[_folder_of(current)] = _taken_out()
    importlib.invalidate_caches()
    sys.modules.update(aside.pop(path, None) or {PACKAGE: _package(path)})
    setattr(sys.modules[PACKAGE], _KEPT, aside)


def _package(path: str) -> ModuleType:
    package = ModuleType(PACKAGE, "The CRM team's tools.")
    package.__path__ = [path]
    return package


def _folder_of(package: ModuleType) -> str:
    return str(Path(next(iter(package.__path__), "")).resolve())


def _taken_out() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.split(".")[0] == PACKAGE]
    return {name: sys.modules.pop(name) for name in names}
