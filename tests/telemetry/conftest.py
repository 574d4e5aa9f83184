"""Conversations of the demo company that are counted, in virtual time."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Mapping

import pytest

from assistant.telemetry.metrics import Metrics
from assistant.telemetry.observer import TenantTelemetry
from assistant.testing.virtual_time import VirtualLoop
from tests.turn.conftest import Company


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


class CountedCompany(Company):
    """The demo company, whose conversations are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.values = Metrics()
        self.counted = TenantTelemetry(
            "shop", self.values, tools=lambda: {tool.spec.name for tool in self.tools}
        )
        self.telemetry = self.counted

    def told(self, *names: str) -> Mapping[str, float]:
        """The series of these metrics that are not zero, without buckets and without the tenant."""
        return series(self.values.render(), *names)


def series(text: bytes, *names: str) -> dict[str, float]:
    """The series that begin with one of these names and are not zero, in their order."""
    found: dict[str, float] = {}
    for line in text.decode().splitlines():
        name, _, value = line.rpartition(" ")
        if name.startswith(names) and "_bucket" not in name and float(value):
            found[
                name.replace(',tenant="shop"', "")
                .replace('tenant="shop",', "")
                .replace('{tenant="shop"}', "")
            ] = float(value)
    return found


@pytest.fixture
def company() -> Iterator[CountedCompany]:
    company = CountedCompany()
    yield company
    for model in company.models:
        model.assert_used_up()
