"""Gives all browser tests to one pytest-xdist worker, because each further worker would start Chromium too."""

from xdist.scheduler import LoadFileScheduling


class OneBrowserScheduling(LoadFileScheduling):
    """Keeps the tests of a file together, as ``--dist loadfile`` does, and also all tests in `tests/browser`."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "tests/browser" if file.startswith("tests/browser/") else file
