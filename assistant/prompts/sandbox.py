"""Where templates run: a sandbox in which nothing can be changed, and neither time nor length run away."""

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, nodes, pass_context
from jinja2.exceptions import SecurityError, TemplateNotFound
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from assistant.errors import PromptError

MOST_CHARACTERS = 100_000
MOST_STEPS = 20_000
MOST_RANGE = 1_000

# What a wording needs. Left out is all that makes much out of little (center, indent, format, batch, ...).
# fmt: off
_FILTERS = frozenset((
    "abs", "capitalize", "d", "default", "dictsort", "first", "float", "groupby", "int", "items", "join", "last",
    "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "replace", "reverse", "round", "select",
    "selectattr", "sort", "string", "sum", "title", "tojson", "trim", "truncate", "unique", "upper", "wordcount",
))
_TEXT_METHODS = frozenset((
    "capitalize", "casefold", "count", "endswith", "find", "isdigit", "lower", "lstrip", "partition",
    "removeprefix", "removesuffix", "rpartition", "rstrip", "split", "startswith", "strip", "title", "upper",
))
# fmt: on

_steps_left: ContextVar[int] = ContextVar("_steps_left", default=MOST_STEPS)


class Sources(BaseLoader):
    """Templates that are in memory: ``texts`` by name, ``folder`` as their place is shown in errors."""

    def __init__(self, texts: Mapping[str, str], folder: str) -> None:
        self._texts, self._folder = texts, folder

    def get_source(
        self,
        environment: Environment,  # noqa: ARG002 - Jinja's signature
        template: str,
    ) -> tuple[str, str, Callable[[], bool]]:
        """A template's text and the place that errors and tracebacks name."""
        if template not in self._texts:
            raise TemplateNotFound(template)
        return self._texts[template], f"{self._folder}/{template}", lambda: True


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja without its doors: strict about names, deaf to changes, with every loop and call counted."""

    intercepted_binops = frozenset(["*", "**", "%"])

    def __init__(
        self, loader: Sources, filters: Mapping[str, Callable[..., object]], globals_: Mapping[str, object]
    ) -> None:
        super().__init__(
            loader=loader, undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True,
            auto_reload=False, keep_trailing_newline=True,
        )  # fmt: skip
        self.filters: dict[str, Callable[..., object]] = {
            **{name: filter_ for name, filter_ in self.filters.items() if name in _FILTERS},
            **filters,
            "_counted": _counted,
        }
        self.globals: dict[str, object] = {"range": _range, **globals_}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, "_counted", [], [], None, None, lineno=loop.lineno)
        return tree

    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        """Call something from a template, as a step."""
        _step()
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """Calculate, but never make a long text of a short one."""
        if operator == "**" or not (_is_number(left) and _is_number(right)):
            raise SecurityError(f"{operator!r} works on numbers only, and '**' not at all")
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Whether a template may see an attribute; of a text only what cannot lengthen it."""
        if isinstance(obj, str | bytes) and attr not in _TEXT_METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)


def fill(template: Template, values: Mapping[str, object]) -> str:
    """Render within the bounds: the one wall behind which a template may fail.

    Raises ``PromptError`` with file and line, whatever it was that went wrong.
    """
    before = _steps_left.set(MOST_STEPS)
    try:
        return _joined(template.generate(values))
    except Exception as error:
        # A template is a stranger's code: it may raise anything.
        raise PromptError(f"{_place(template, error)}: {error}") from error
    finally:
        _steps_left.reset(before)


def _joined(pieces: Iterable[str]) -> str:
    kept: list[str] = []
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MOST_CHARACTERS:
            raise SecurityError(f"more than {MOST_CHARACTERS} characters")
        kept.append(piece)
    return "".join(kept)


def _place(template: Template, error: Exception) -> str:
    """File and line where it failed: Jinja puts the template's own lines into the traceback."""
    for frame in reversed(list(traceback.extract_tb(error.__traceback__))):
        if frame.filename.endswith(".j2") or frame.filename == template.filename:
            return f"{frame.filename}:{frame.lineno}"
    return template.filename or template.name or "a narration"


def _step() -> None:
    left = _steps_left.get() - 1
    if left < 0:
        raise SecurityError(f"more than {MOST_STEPS} steps; make its loops smaller")
    _steps_left.set(left)


@pass_context
def _counted(_context: Context, items: Iterable[object]) -> Iterator[object]:
    for item in items:
        _step()
        yield item


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > MOST_RANGE:
        raise SecurityError(f"range() gives more than {MOST_RANGE} numbers")
    return numbers


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
