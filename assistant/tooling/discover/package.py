"""Makes a folder, wherever it is, the package ``tools``."""

import importlib
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from assistant.tooling.discover.from_text import FromText

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
    _put_in(aside.pop(path, None) or {PACKAGE: _package(path)}, aside)


@contextmanager
def anew(folder: Path) -> Generator[None]:
    """The same, and within the block every file of the folder is read again.

    Modules that were imported before go on working for those who have them. When the block raises, they are
    what ``tools`` means again.
    """
    open_package(folder)
    aside: dict[str, dict[str, ModuleType]] = getattr(sys.modules[PACKAGE], _KEPT, {})
    before = _taken_out()
    _put_in({PACKAGE: _package(str(folder.resolve()))}, aside)
    finder = FromText(PACKAGE)
    sys.meta_path.insert(0, finder)
    try:
        yield
    except BaseException:
        _taken_out()
        _put_in(before, aside)
        raise
    finally:
        sys.meta_path.remove(finder)


def _put_in(modules: dict[str, ModuleType], aside: dict[str, dict[str, ModuleType]]) -> None:
    importlib.invalidate_caches()
    sys.modules.update(modules)
    setattr(sys.modules[PACKAGE], _KEPT, aside)


def _package(path: str) -> ModuleType:
    package = ModuleType(PACKAGE, "The CRM team's tools.")
    package.__path__ = [path]
    return package


def _folder_of(package: ModuleType) -> str:
    return str(Path(next(iter(package.__path__), "")).resolve())


def _taken_out() -> dict[str, ModuleType]:
    names = [name for name in tuple(sys.modules) if name.split(".")[0] == PACKAGE]
    return {name: sys.modules.pop(name) for name in names}
