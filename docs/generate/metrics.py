"""The page of metrics: the text from ``metrics.md.j2``, the metrics from their definitions."""

from itertools import groupby
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from assistant.telemetry.definitions import METRICS, Label

_PAGE = Path(__file__).with_name("metrics.md.j2")


def metrics_page() -> str:
    """The page, in Markdown."""
    environment = Environment(  # noqa: S701 - Markdown, from our own texts
        undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True
    )
    groups = [(about, list(metrics)) for about, metrics in groupby(METRICS, key=lambda metric: metric.about)]
    return environment.from_string(_PAGE.read_text(encoding="utf-8")).render(groups=groups, values=_values)


def _values(label: Label) -> str:
    return ", ".join(f"`{value}`" for value in label.values) or label.source
