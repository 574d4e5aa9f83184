"""Conditions of rules: comparisons of earlier results, the call's arguments and the customer's claims.

    results.get_order_status[number == arguments.order_number].status in ["processing", "shipped"]

The grammar is a small part of Python's. It is parsed with :mod:`ast`, and never executed as code.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final, TypeAlias

from assistant.conversation.customer import Claim, Level
from assistant.conversation.values import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The values that a condition can use.

    ``results`` has the newest result of each tool that succeeded in this conversation.
    """

    results: Mapping[str, Json] = field(default_factory=dict[str, Json])
    arguments: JsonObject = field(default_factory=dict[str, Json])
    claims: Mapping[str, Claim] = field(default_factory=dict[str, Claim])
    level: Level = "anonymous"


_Read: TypeAlias = Callable[[Facts, Json], Json]
"""Computes the value of an expression. The second argument is the row that a filter in brackets tests."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition, with the names of the tools and arguments that it uses."""

    text: str
    tools: frozenset[str]
    arguments: frozenset[str]
    _read: _Read = field(repr=False, compare=False)

    def holds(self, facts: Facts) -> bool:
        """Whether the condition is true. A missing value is ``none``. No content of a result raises an error.

        >>> orders = [{"number": 7, "status": "shipped"}, {"number": 8, "status": "processing"}]
        >>> facts = Facts(results={"find": orders}, arguments={"order": "8"})
        >>> read_condition("results.find[number == arguments.order].status == 'processing'").holds(facts)
        True
        >>> read_condition("'delivered' in results.find.status").holds(facts)
        False
        """
        return bool(self._read(facts, None))


def read_condition(text: str) -> Condition:
    """Parse a condition. Raises ``ValueError`` with the mistake."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        reader = _Reader()
        read = reader.truth(tree)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text!r} is no condition; {_SUCH_AS}") from error
    return Condition(text.strip(), frozenset(reader.tools), frozenset(reader.arguments), read)


_SUCH_AS: Final = (
    'write a comparison such as results.get_order.status == "shipped", claims.plan != "free", or several with '
    "and, or, not"
)
_ROOTS: Final = ("results", "arguments", "claims", "customer")
_WORDS: Final[Mapping[str, Json]] = {
    word: value
    for name, value in (("true", True), ("false", False), ("none", None), ("null", None))
    for word in (name, name.title())
}


class _Reader:
    """Turns a syntax tree into a function, and collects the names in it."""

    def __init__(self) -> None:
        self.tools: set[str] = set()
        self.arguments: set[str] = set()

    def truth(self, tree: ast.expr, *, row: bool = False) -> _Read:
        """Returns a condition: one or several comparisons."""
        match tree:
            case ast.BoolOp(op=ast.And(), values=values):
                parts = [self.truth(value, row=row) for value in values]
                return lambda facts, at: all(part(facts, at) for part in parts)
            case ast.BoolOp(op=ast.Or(), values=values):
                parts = [self.truth(value, row=row) for value in values]
                return lambda facts, at: any(part(facts, at) for part in parts)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand, row=row)
                return lambda facts, at: not inner(facts, at)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
                compare = _COMPARED[type(op)]
                first, second = self.value(left, row=row), self.value(right, row=row)
                return lambda facts, at: compare(first(facts, at), second(facts, at))
            case _:
                raise ValueError(f"{ast.unparse(tree)!r} compares nothing; {_SUCH_AS}")

    def value(self, tree: ast.expr, *, row: bool = False) -> _Read:
        """Returns a value: a literal, or a path to a value."""
        match tree:
            case ast.Constant(value=str() | bool() | int() | float() | None as value):
                return lambda _facts, _at: value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return lambda _facts, _at: -number
            case ast.List(elts=items) | ast.Tuple(elts=items):
                parts = [self.value(item, row=row) for item in items]
                return lambda facts, at: [part(facts, at) for part in parts]
            case ast.Name(id=name) if name in _WORDS:
                return lambda _facts, _at: _WORDS[name]
            case ast.Name(id=name) if row and name not in _ROOTS:
                return lambda _facts, at: _field(at, name)
            case ast.Attribute(value=ast.Name(id=root), attr=name) if root in _ROOTS:
                return self._root(root, name)
            case ast.Attribute(value=inner, attr=name):
                of = self.value(inner, row=row)
                return lambda facts, at: _field(of(facts, at), name)
            case ast.Subscript(value=inner, slice=index):
                return self._chosen(self.value(inner, row=row), index)
            case _:
                raise ValueError(f"{ast.unparse(tree)!r} is no value that a condition knows; {_SUCH_AS}")

    def _root(self, root: str, name: str) -> _Read:
        match root:
            case "results":
                self.tools.add(name)
                return lambda facts, _at: facts.results.get(name)
            case "arguments":
                self.arguments.add(name)
                return lambda facts, _at: facts.arguments.get(name)
            case "claims":
                return lambda facts, _at: facts.claims.get(name)
            case _:
                if name != "level":
                    raise ValueError(f"customer.{name} is not known; a condition may ask for customer.level")
                return lambda facts, _at: facts.level

    def _chosen(self, of: _Read, index: ast.expr) -> _Read:
        """Returns the item at ``[0]`` or ``["a name"]``, or with ``[number == 7]`` the first row for which
        that is true.
        """
        match index:
            case ast.Constant(value=int() | str() as place):
                return lambda facts, at: _item(of(facts, at), place)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place)):
                return lambda facts, at: _item(of(facts, at), -place)
            case _:
                fits = self.truth(index, row=True)
                return lambda facts, at: next((one for one in _rows(of(facts, at)) if fits(facts, one)), None)


def _rows(value: Json) -> Sequence[Json]:
    if isinstance(value, list | tuple):
        return value
    return () if value is None else (value,)


def _field(value: Json, name: str) -> Json:
    """Returns a field of an object; for a list, the field of each row."""
    if isinstance(value, list | tuple):
        return [_field(one, name) for one in value]
    return value.get(name) if isinstance(value, Mapping) else None


def _item(value: Json, place: int | str) -> Json:
    if isinstance(place, str):
        return _field(value, place)
    if not isinstance(value, list | tuple) or not -len(value) <= place < len(value):
        return None
    return value[place]


def _number(value: Json) -> Decimal | None:
    """Returns the value as a number, even if it is a text: results have exact amounts as texts, arguments as
    numbers.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _same(one: Json, other: Json) -> bool:
    first, second = _number(one), _number(other)
    if first is not None and second is not None:
        return first == second
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    return type(one) is type(other) and one == other


def _ordered(one: Json, other: Json) -> int | None:
    """Returns -1, 0 or 1, or None if the values cannot be ordered.

    Texts are compared by characters, which orders ISO dates.
    """
    first, second = _number(one), _number(other)
    if first is not None and second is not None:
        return (first > second) - (first < second)
    if isinstance(one, str) and isinstance(other, str):
        return (one > other) - (one < other)
    return None


def _among(one: Json, others: Json) -> bool:
    return any(_same(one, other) for other in _rows(others))


_COMPARED: Final[Mapping[type[ast.cmpop], Callable[[Json, Json], bool]]] = {
    ast.Eq: _same,
    ast.NotEq: lambda one, other: not _same(one, other),
    ast.Lt: lambda one, other: _ordered(one, other) == -1,
    ast.LtE: lambda one, other: _ordered(one, other) in (-1, 0),
    ast.Gt: lambda one, other: _ordered(one, other) == 1,
    ast.GtE: lambda one, other: _ordered(one, other) in (0, 1),
    ast.In: _among,
    ast.NotIn: lambda one, other: not _among(one, other),
}
