"""JSON for the wire."""

import json
from collections import UserList
from types import MappingProxyType
from typing import Any, cast

import pytest

from assistant.conversation.values import Json
from assistant.formats.json_text import json_bytes, json_text
from tests.support.rows import check_rows


@check_rows(
    "value",
    [None, True, 2**70, 1.5, "Grüße", {"a": [1, {"b": None}]}, {"ö": 2**70, "ü": "ü"}],
)
def test_every_json_value_can_be_written_and_read_back(value: Json) -> None:
    assert json.loads(json_bytes(value)) == value
    assert json.loads(json_text(value)) == value


def test_half_a_surrogate_pair_does_not_break_the_request() -> None:
    assert json.loads(json_bytes({"said": "Hi \ud83d", "\udc00": 2**70})) == {"said": "Hi ?", "?": 2**70}


@pytest.mark.parametrize("large", [1, 2**70])
def test_containers_of_every_kind_are_written(large: int) -> None:
    value = MappingProxyType({"list": UserList([large]), "tuple": (1, 2)})

    assert json.loads(json_bytes(cast("Json", value))) == {"list": [large], "tuple": [1, 2]}


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(TypeError):
        json_bytes(cast("Any", object()))
