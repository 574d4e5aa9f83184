"""Counts the metrics of this process, and writes them in Prometheus' text format."""

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

from assistant.telemetry.definitions import METRICS, OTHER, TENANT, Metric

_MOST_SERIES: Final = 5_000
"""Series of one metric. More are counted under ``other``: a mistake here must not fill the monitoring system."""


class Metrics:
    """The values of all metrics of this process, and those of the process itself (memory, CPU, files).

    A metric is known from the start; a series begins with its first value.
    """

    def __init__(self) -> None:
        from prometheus_client import (
            CollectorRegistry,
            Counter,
            Gauge,
            Histogram,
            ProcessCollector,
            disable_created_metrics,
        )

        disable_created_metrics()  # they would double the number of series
        self._registry: CollectorRegistry = CollectorRegistry()
        self._series: dict[Metric, dict[tuple[str, ...], Any]] = {metric: {} for metric in METRICS}
        self._made: Mapping[Metric, Any] = {
            metric: Histogram(
                metric.name, metric.help, _names(metric), registry=self._registry, buckets=metric.limits
            )
            if metric.kind == "histogram"
            else {"counter": Counter, "gauge": Gauge}[metric.kind](
                metric.name, metric.help, _names(metric), registry=self._registry
            )
            for metric in METRICS
        }
        ProcessCollector(registry=self._registry)
        self._begin_series()

    def add_tenant(self, tenant: str) -> None:
        """Set this tenant's counters to zero at the start: a monitoring system does not see the first
        increase of a counter that did not exist before.
        """
        self._begin_series(tenant)

    def add(self, metric: Metric, *labels: str, amount: float = 1.0) -> None:
        """Add to a counter or a gauge. ``labels`` are in the metric's order."""
        self._one(metric, labels).inc(amount)

    def observe(self, metric: Metric, *labels: str, value: float) -> None:
        """Add a value to a histogram; a value below zero, after a change of the clock, counts as zero."""
        self._one(metric, labels).observe(max(0.0, value))

    def replace(self, metric: Metric, values: Mapping[tuple[str, ...], float]) -> None:
        """Set all series of a gauge; those that it had and that are not in ``values`` become zero."""
        for labels in self._series[metric].keys() - values.keys():
            self._series[metric][labels].set(0.0)
        for labels, value in values.items():
            self._one(metric, labels).set(value)

    def render(self) -> bytes:
        """Everything in Prometheus' text format."""
        from prometheus_client import generate_latest

        return generate_latest(self._registry)

    def _begin_series(self, *tenant: str) -> None:
        for metric in METRICS:
            labels = metric.labels[1:] if TENANT in metric.labels[:1] else metric.labels
            belongs = len(labels) < len(metric.labels) if tenant else labels is metric.labels
            if metric.kind == "counter" and belongs and all(label.values for label in labels):
                for values in product(*(label.values for label in labels)):
                    self._one(metric, (*tenant, *values))

    def _one(self, metric: Metric, labels: tuple[str, ...]) -> Any:
        series = self._series[metric]
        found = series.get(labels)
        if found is None:
            if len(series) >= _MOST_SERIES:
                labels = (OTHER,) * len(labels)
            made = self._made[metric]
            found = series[labels] = made.labels(*labels) if labels else made
        return found


def _names(metric: Metric) -> list[str]:
    return [label.name for label in metric.labels]
