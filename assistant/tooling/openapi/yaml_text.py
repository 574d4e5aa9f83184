"""Reads YAML as the JSON that a description is: no times, no octal numbers, and names are texts."""

import re
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from assistant.conversation.values import Json

if TYPE_CHECKING:
    import yaml

_MOST_MERGED = 10_000
_DEEPEST = 200
_PLAIN = (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
    ("merge", r"^<<$", ["<"]),
)
"""What is no text, each with the signs that it may begin with. Years, "no" and "12:30" are."""


def read_yaml(content: bytes) -> Json:
    """The value. One that refers to itself holds itself. Raises ``yaml.YAMLError``."""
    import yaml

    _refuse_depth(content)
    return cast("Json", yaml.load(content, Loader=_loader()))  # noqa: S506 - a safe loader of our own


def _refuse_depth(content: bytes) -> None:
    """Raise ``YAMLError`` for what is nested so deeply that to build it would break the stack."""
    import yaml

    depth = 0
    for event in yaml.parse(content, Loader=_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise yaml.YAMLError(f"it is nested more than {_DEEPEST} levels deep")


@cache
def _loader() -> "type[yaml.SafeLoader]":
    import yaml

    # The one that is written in C, where there is one: ten times as fast.
    safe: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Plain(safe):
        yaml_implicit_resolvers = {}  # noqa: RUF012 - the resolver's own way

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                    key.tag = "tag:yaml.org,2002:str"
            return super().construct_mapping(node, deep)

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            before = len(node.value)
            super().flatten_mapping(node)
            if len(node.value) - before > _MOST_MERGED:
                raise yaml.constructor.ConstructorError(None, None, "merges too much", node.start_mark)

        def finite(self, node: yaml.ScalarNode) -> float | None:
            number = float(node.value)
            return number if isfinite(number) else None

        def whatever(self, node: yaml.Node) -> Any:
            """What has a tag of its own is what it looks like."""
            if isinstance(node, yaml.MappingNode):
                return self.construct_mapping(node, deep=True)
            if isinstance(node, yaml.SequenceNode):
                return self.construct_sequence(node, deep=True)
            return node.value

    for kind, pattern, first in _PLAIN:
        Plain.add_implicit_resolver(  # pyright: ignore[reportUnknownMemberType]
            f"tag:yaml.org,2002:{kind}", re.compile(pattern), first
        )
    plain = ("null", "bool", "int", "str", "seq", "map")
    Plain.yaml_constructors = {
        f"tag:yaml.org,2002:{kind}": safe.yaml_constructors[f"tag:yaml.org,2002:{kind}"] for kind in plain
    }
    Plain.add_constructor("tag:yaml.org,2002:float", Plain.finite)
    Plain.add_constructor(None, Plain.whatever)
    return Plain
