"""A template cannot reach out, change anything, run forever, or produce endless text."""

import pytest

from assistant.errors import PromptError
from assistant.prompts.sandbox import Sandbox, Sources, render_template
from tests.support.rows import check_rows

VALUES = {"names": ["a", "b"], "text": "abc", "number": 7}


def rendered(source: str) -> str:
    sandbox = Sandbox(Sources({}, "prompts"), {}, {})
    return render_template(sandbox.from_string(source), VALUES)


@check_rows(
    "source",
    [
        "{{ ''.__class__ }}",
        "{{ names.append('c') }}",
        "{{ lipsum() }}",
        "{{ cycler('a') }}",
        "{{ dict(a=1) }}",
        "{{ namespace(a=1).a }}",
        "{{ missing }}",
        "{{ text * 1000000000 }}",
        "{{ [0] * 1000000000 }}",
        "{{ 'ab' * 1 }}",
        "{{ text + text }}",
        "{{ 9 ** 9999999 }}",
        "{{ '%9999999d' % 1 }}",
        "{{ '{}'.format(1) }}",
        "{{ (['{}'] | map(attribute='format') | first)(1) }}",
        "{{ text.ljust(999999999) }}",
        "{{ text.zfill(999999999) }}",
    ],
)
def test_a_forbidden_action_is_an_error_immediately(source: str) -> None:
    with pytest.raises(PromptError):
        rendered(source)


@check_rows(
    "source",
    [
        "{% for n in range(100000) %}{% endfor %}",
        "{% for a in range(900) %}{% for b in range(900) %}{% endfor %}{% endfor %}",
        "{% set r = range(900) %}{% for a in r %}{% for b in r %}{% endfor %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
        "{% set x = text %}" + "".join("{% set x = x ~ x %}" for _ in range(60)),
        "{% set x = text %}" + "".join("{% set x %}{{ x }}{{ x }}{% endset %}" for _ in range(60)),
        "{% set x = text %}" + "".join("{% set x = x | replace('a', 'aaaaaaaaaa') %}" for _ in range(30)),
        "{% set x = text %}" + "".join("{% set x = [x, x, x] | join %}" for _ in range(60)),
        "{% for n in range(999) %}" + "long " * 1000 + "{% endfor %}",
    ],
)
def test_endless_loops_and_endless_text_are_stopped(source: str) -> None:
    with pytest.raises(PromptError, match="more than"):
        rendered(source)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{% for n in range(3) %}{{ n }}{{ ',' if not loop.last }}{% endfor %}", "0,1,2"),
        ("{% for n in names %}{{ loop.index }}/{{ loop.length }} {{ n }};{% endfor %}", "1/2 a;2/2 b;"),
        ("{{ number + 1 }} {{ number * 2 }} {{ number % 4 }}", "8 14 3"),
        ("{{ text.upper() ~ '!' }}", "ABC!"),
        (
            "{% set x = 'a' %}{{ x | default('b') }} {{ names | join('-') }} {{ text | replace('b', '') }}",
            "a a-b ac",
        ),
    ],
)
def test_ordinary_wording_works(source: str, text: str) -> None:
    assert rendered(source) == text


def test_a_failure_is_reported_with_the_templates_own_line() -> None:
    with pytest.raises(PromptError, match=r"^<template>:3: division by zero$"):
        rendered("one\ntwo\n{{ 1 / 0 }}")
