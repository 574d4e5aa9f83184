"""Runs one test for all rows of a table and reports each row that fails.

Use `pytest.mark.parametrize` for a few cases, or for cases that need their own fixtures. Use `check_rows` for
a table of phrases: collecting, distributing and reporting one item per phrase takes longer than its check.
"""

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import pytest

ROW_FAILED = (Exception, pytest.fail.Exception)
Label: TypeAlias = Callable[[Mapping[str, object]], str]


def check_rows(
    names: str | Sequence[str],
    rows: Iterable[Sequence[object] | object],
    *,
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Calls the test once for each row; takes the arguments of `pytest.mark.parametrize`.

    All rows share the fixtures of one test. A row that fails does not keep the later rows from running.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [_values(row, columns) for row in rows]
    labels = _labels(len(table), ids)

    def decorate(test: Callable[..., object]) -> Callable[..., object]:
        async def check_each_async(**fixtures: object) -> None:
            failed: list[tuple[str, BaseException]] = []
            for label, values in zip(labels, table, strict=True):
                try:
                    await cast("Awaitable[object]", test(**fixtures, **values))
                except ROW_FAILED as error:
                    failed.append((label(values), error))
            _report(failed, len(table))

        def check_each(**fixtures: object) -> None:
            failed: list[tuple[str, BaseException]] = []
            for label, values in zip(labels, table, strict=True):
                try:
                    test(**fixtures, **values)
                except ROW_FAILED as error:
                    failed.append((label(values), error))
            _report(failed, len(table))

        check = functools.wraps(test)(check_each_async if inspect.iscoroutinefunction(test) else check_each)
        signature = inspect.signature(test)
        fixtures = [one for one in signature.parameters.values() if one.name not in columns]
        vars(check)["__signature__"] = signature.replace(parameters=fixtures)
        return check

    return decorate


def _values(row: object, columns: Sequence[str]) -> dict[str, object]:
    if len(columns) == 1:
        values: Iterable[object] = (row,)
    else:
        values = cast("Iterable[object]", row)
    return dict(zip(columns, values, strict=True))


def _labels(rows: int, ids: Callable[[Any], object] | Iterable[object] | None) -> list[Label]:
    """How each row is named when it fails; not before: the text of a row can take longer than its check."""
    if ids is None or callable(ids):
        name = repr if ids is None else ids
        return [lambda row: ", ".join(str(name(value)) for value in row.values())] * rows
    return [lambda _, label=str(one): label for one in ids]


def _report(failed: Sequence[tuple[str, BaseException]], total: int) -> None:
    if not failed:
        return
    lines = [f"{len(failed)} of {total} rows failed"]
    for label, error in failed:
        lines.append(f"- {label}")
        lines.extend(f"    {line}" for line in f"{type(error).__name__}: {error}".splitlines())
    raise AssertionError("\n".join(lines)) from failed[0][1]
