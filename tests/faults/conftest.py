"""Fixtures: installations whose servers are killed, and the number of repetitions of each test."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.clock import SystemClock
from tests.faults.order_model import OrderModel
from tests.faults.servers import Installation


def times(name: str, short: int) -> int:
    """How often to repeat: the value of this environment variable, else ``short``."""
    return int(os.environ.get(name, short))


_NO_EMBEDDING = """
import numpy
from assistant.models import minilm
minilm.embed_passages = minilm.embed = lambda texts: numpy.full((len(texts), 384), 384**-0.5, numpy.float32)
"""
"""Loading the embedding model takes half of the processor if servers start all the time."""


@pytest.fixture
async def model() -> AsyncIterator[OrderModel]:
    """The model server for all servers."""
    async with OrderModel(clock=SystemClock()) as model:
        yield model


@pytest.fixture
def model_settings(model: OrderModel) -> dict[str, str]:
    """The settings with which a server uses that model."""
    return {
        "ASSISTANT_MODEL": "openai/gpt-6-luna",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model.url,
    }


@pytest.fixture
def on_sqlite(tmp_path: Path, model_settings: dict[str, str]) -> Installation:
    """An installation on SQLite, for one server."""
    return _installation(tmp_path, model_settings)


@pytest.fixture
def on_postgres(tmp_path: Path, model_settings: dict[str, str], database: str) -> Installation:
    """An installation on PostgreSQL, for several servers, with the shortest lease."""
    return _installation(
        tmp_path, {**model_settings, "ASSISTANT_DATABASE": database, "ASSISTANT_LEASE_S": "1"}
    )


def _installation(folder: Path, settings: dict[str, str]) -> Installation:
    changes = folder / "without-embedding"
    changes.mkdir()
    (changes / "sitecustomize.py").write_text(_NO_EMBEDDING)
    return Installation(folder, settings, [changes])
