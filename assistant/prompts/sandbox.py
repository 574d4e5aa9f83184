"""A sandbox for templates. They can change nothing, and their time and output are limited."""

import functools
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from jinja2 import BaseLoader, BytecodeCache, Environment, StrictUndefined, Template, nodes, pass_context
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError, TemplateNotFound
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from assistant.errors import PromptError

MOST_CHARACTERS = 200_000
MOST_STEPS = 20_000

_Value = TypeVar("_Value")


class Meter:
    """The steps and characters that one rendering has left."""

    __slots__ = ("characters", "steps")

    def __init__(self) -> None:
        self.characters, self.steps = MOST_CHARACTERS, MOST_STEPS


_meter: ContextVar[Meter] = ContextVar("_meter")


@contextmanager
def metered() -> Generator[None]:
    """A context manager: its block has a new meter. When the meter is used up, the functions that count raise
    ``SecurityError``.
    """
    token = _meter.set(Meter())
    try:
        yield
    finally:
        _meter.reset(token)


def count_step() -> None:
    """Count one loop iteration or one call."""
    if (meter := _meter.get(None)) is None:
        return
    meter.steps -= 1
    if meter.steps < 0:
        raise SecurityError(f"more than {MOST_STEPS} steps; make its loops smaller")


def count_characters(value: _Value) -> _Value:
    """Return the value. If it is a text, count its characters against the limit of this rendering first.

    Raises ``SecurityError`` beyond the limit.
    """
    if isinstance(value, str) and (meter := _meter.get(None)) is not None:
        meter.characters -= len(value)
        if meter.characters < 0:
            raise SecurityError(f"more than {MOST_CHARACTERS} characters")
    return value


MOST_RANGE = 1_000

# The filters and functions that texts need. Those that can make a long text from a short one (center, indent,
# format, batch, ...) are left out.
# fmt: off
_FILTERS = frozenset((
    "abs", "capitalize", "d", "default", "dictsort", "first", "float", "groupby", "int", "items", "last", "length",
    "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse", "round", "select", "selectattr",
    "sort", "string", "sum", "title", "trim", "truncate", "unique", "upper", "wordcount",
))
_LENGTHENING = frozenset(("join", "replace"))
_TEXT_METHODS = frozenset((
    "capitalize", "casefold", "count", "endswith", "find", "isdigit", "lower", "lstrip", "partition",
    "removeprefix", "removesuffix", "rpartition", "rstrip", "split", "startswith", "strip", "title", "upper",
))
# fmt: on


class Sources(BaseLoader):
    """Templates in memory: ``texts`` by name; ``folder`` is their folder in error messages."""

    def __init__(self, texts: Mapping[str, str], folder: str) -> None:
        self._texts, self._folder = texts, folder

    def get_source(
        self,
        environment: Environment,  # noqa: ARG002 - Jinja's signature
        template: str,
    ) -> tuple[str, str, Callable[[], bool]]:
        """Returns a template's text and its path for errors and tracebacks."""
        if template not in self._texts:
            raise TemplateNotFound(template)
        return self._texts[template], f"{self._folder}/{template}", lambda: True


class _Compiled(BytecodeCache):
    """Caches the compiled form of each template's newest text, because most do not change if one is edited."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the cached form, if the text is the same."""
        if (known := self._known.get(bucket.key)) is not None:
            bucket.bytecode_from_string(known)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the compiled form."""
        self._known[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


class Sandbox(ImmutableSandboxedEnvironment):
    """A restricted Jinja environment: unknown names are errors, nothing can be changed, and loops, calls and
    texts are counted.
    """

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(
        self, loader: Sources, filters: Mapping[str, Callable[..., object]], globals_: Mapping[str, object]
    ) -> None:
        super().__init__(
            loader=loader, undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True,
            auto_reload=False, keep_trailing_newline=True, finalize=count_characters,
            bytecode_cache=_COMPILED,
        )  # fmt: skip
        known = self.filters
        self.filters: dict[str, Callable[..., object]] = {
            **{name: known[name] for name in _FILTERS},
            **{name: _weighed(known[name]) for name in _LENGTHENING},
            **filters,
            "_counted": _counted,
            "_weighed": count_characters,
        }
        self.globals: dict[str, object] = {"range": _range, **globals_}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return _Metering().visit(super()._parse(source, name, filename))

    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        """Call a function or macro for a template.

        Raises ``SecurityError`` if this call is more than the ``MOST_STEPS`` loop iterations and calls that one
        rendering may make.
        """
        count_step()
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """Calculate with numbers.

        Texts and lists can be joined with ``~`` and ``join``, but not multiplied.
        """
        if operator == "**" or not (isinstance(left, int | float) and isinstance(right, int | float)):
            raise SecurityError(f"{operator!r} is for numbers, and '**' for nothing; join texts with '~'")
        return super().call_binop(context, operator, left, right)

    def wrap_str_format(self, value: object) -> None:
        """Disable ``format`` of texts, because a width could make a very long text."""

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Whether a template may use an attribute; of a text only attributes that cannot lengthen it."""
        if isinstance(obj, str | bytes) and attr not in _TEXT_METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)


def render_template(template: Template, values: Mapping[str, object], block: str | None = None) -> str:
    """Render within the limits. All template errors become ``PromptError`` here.

    With ``block``, only this block is rendered; it must exist. Raises ``PromptError`` with file and line for
    any error.
    """
    with metered():
        try:
            if block is None:
                return "".join(map(count_characters, template.generate(values)))
            return "".join(map(count_characters, template.blocks[block](template.new_context(dict(values)))))
        except Exception as error:
            # A template may come from anyone, and may raise anything.
            raise PromptError(f"{_place(template, error)}: {error}") from error


def _place(template: Template, error: Exception) -> str:
    """Returns the file and line of an error. Jinja puts the template's lines into the traceback."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(".j2") or frame.filename == "<template>":
            return f"{frame.filename}:{frame.lineno}"
    return str(template.filename or template.name)


class _Metering(NodeTransformer):
    """Adds a meter to each loop and each ``~``."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja's naming
        self.generic_visit(node)
        node.iter = _through("_counted", node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:  # noqa: N802 - Jinja's naming
        self.generic_visit(node)
        return _through("_weighed", node)


def _through(filter_: str, node: nodes.Node) -> nodes.Filter:
    return nodes.Filter(node, filter_, [], [], None, None, lineno=node.lineno)


@pass_context
def _counted(_context: Context, items: Iterable[object]) -> Iterator[object]:
    for item in items:
        count_step()
        yield item


def _weighed(filter_: Callable[..., object]) -> Callable[..., object]:
    @functools.wraps(filter_)
    def weighed(*args: object, **kwargs: object) -> object:
        return count_characters(filter_(*args, **kwargs))

    return weighed


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > MOST_RANGE:
        raise SecurityError(f"range() gives more than {MOST_RANGE} numbers")
    return numbers
