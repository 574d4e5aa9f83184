"""What a word in a file stands for, by JSON's rules and no others."""

import math
import re
from typing import ClassVar

import yaml

from assistant.conversation.values import Json

_TAG = "tag:yaml.org,2002:"
_FLOAT = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$", re.ASCII)
_RULES = (
    ("null", re.compile(r"(?:null)?$"), ["n", ""]),
    ("bool", re.compile(r"(?:true|false)$"), list("tf")),
    ("int", re.compile(r"-?(?:0|[1-9]\d*)$", re.ASCII), list("-0123456789")),
    ("float", _FLOAT, list("-0123456789")),
)


class JsonScalars:
    """For a YAML loader: an unquoted word is a scalar of JSON's or a text; nothing is "as in YAML 1.1"."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(_TAG + name, rule) for name, rule, firsts in _RULES if first in firsts]
        for first in {first for _, _, firsts in _RULES for first in firsts}
    }


def json_scalar(node: yaml.ScalarNode) -> Json:
    """The value of a scalar that was read by ``JsonScalars``.

    Raises:
        ValueError: a number nothing can hold, or a tag that JSON has no type for.
    """
    kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
    if kind == "str":
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return text == "true"
    if kind == "int" and len(text) < 1000:
        return int(text)
    if kind == "float" and math.isfinite(number := float(text)):
        return number
    if kind in {"int", "float"}:
        raise ValueError(f"{text[:20]}... is beyond any number; quote it, and it is a text")
    raise ValueError(f"the tag {node.tag} is not known here; leave it out")
