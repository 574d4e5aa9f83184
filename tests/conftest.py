"""What holds for every test."""

import logging
from collections.abc import Generator

import pytest
import structlog


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Generator[None]:
    """A command that sets up logging does so for its process; here the next test is in the same one."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
