"""Imports a package's modules from their text, never from what Python keeps compiled."""

from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType


class FromText(MetaPathFinder):
    """Finds the modules of one package where they lie.

    What Python keeps compiled is told apart by size and second: of two quick edits the second would be missed.
    """

    def __init__(self, package: str) -> None:
        self._prefix = f"{package}."

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's spec; None for modules of other packages, and for those that are not there."""
        if not fullname.startswith(self._prefix):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, str(spec.loader.path))
        return spec


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the import system's signature
        """The module, compiled."""
        return self.source_to_code(self.get_data(self.path), self.path)
