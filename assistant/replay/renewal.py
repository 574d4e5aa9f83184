"""Puts new frames and scenes into a cassette's file and leaves its comments as they are."""

import re
from collections.abc import Sequence
from typing import TypeAlias, cast

import yaml

from assistant.errors import DeclarationError
from assistant.replay.cassette import Cassette, HeardFrame
from assistant.replay.cassette_file import load_text
from assistant.replay.played import Played, scenes_of
from assistant.replay.yaml_writer import BlockText, entry, frame_lines


def renew(text: str, cassette: Cassette, played: Played) -> str:
    """The file with the frames and scenes that came; where it has none, none are added.

    What else it expects, and its comments, stay as they are.
    """
    scenes = scenes_of(played.state)
    for number, turn in enumerate(cassette.turns):
        scene = scenes.get(f"m{number + 1}")
        if turn.expect.scene is not None and scene is not None:
            text = with_scene(text, number, scene)
    if cassette.frames:
        heard = tuple(HeardFrame(at_ms=one.at_ms, frame=one.frame) for one in played.frames)
        text = with_frames(text, heard)
    return text


def with_frames(text: str, frames: Sequence[HeardFrame]) -> str:
    """The text with these frames instead of those it has; with no ``frames`` for none.

    Raises:
        DeclarationError: the text is no cassette, or so written that only its author can change it.
    """
    before = load_text(text, _WHERE).cassette
    lines, new = text.split("\n"), frame_lines(frames)
    pair = find_pair(_compose(text), "frames")
    if pair is None:
        end = len(lines) - 1 if not lines[-1] else len(lines)
        lines[end:end] = new
    else:
        key, value = pair
        begin, end = key.start_mark.line, last_line(value, lines) + 1
        if new and in_lines(value):
            # A comment beside the key stays, and so does the way the list is indented.
            begin, new = value.start_mark.line, _indented(new[1:], value.start_mark.column - 2)
        lines[begin:end] = new
    return _checked("\n".join(lines), before.model_copy(update={"frames": tuple(frames)}))


def with_scene(text: str, turn: int, scene: str) -> str:
    """The text with this scene in what is expected of a turn, counted from 0.

    Raises:
        DeclarationError: as ``with_frames``.
    """
    before = load_text(text, _WHERE).cassette
    turns = find_pair(_compose(text), "turns")
    assert turns is not None  # noqa: S101 - no cassette is without
    node, lines = items_of(turns[1])[turn], text.split("\n")
    if in_lines(node):
        _put_scene(node, lines, text, entry("scene", BlockText(scene)))
    expect = before.turns[turn].expect.model_copy(update={"scene": scene})
    turned = before.turns[turn].model_copy(update={"expect": expect})
    after = (*before.turns[:turn], turned, *before.turns[turn + 1 :])
    return _checked("\n".join(lines), before.model_copy(update={"turns": after}))


_WHERE = "conversation"


def _put_scene(turn: yaml.Node, lines: list[str], text: str, scene: list[str]) -> None:
    column = turn.start_mark.column
    pair = find_pair(turn, "expect")
    if pair is None:
        end = last_line(turn, lines) + 1
        lines[end:end] = _indented(["expect:", *_indented(scene, 2)], column)
        return
    key, expect = pair
    if not in_lines(expect):
        others = [_source(text, *other) for other in pairs_of(expect) if other[0].value != "scene"]
        opened = _indented(["expect:", *_indented([*scene, *others], 2)], column)
        lines[key.start_mark.line : last_line(expect, lines) + 1] = opened
        return
    begin = end = expect.start_mark.line
    if (old := find_pair(expect, "scene")) is not None:
        begin, end = old[0].start_mark.line, last_line(old[1], lines) + 1
    lines[begin:end] = _indented(scene, expect.start_mark.column)


def _source(text: str, key: yaml.Node, value: yaml.Node) -> str:
    """A pair of a mapping in braces as it stands there, in one line."""
    return re.sub(r"\s*\n\s*", " ", text[key.start_mark.index : value.end_mark.index])


def _indented(lines: Sequence[str], by: int) -> list[str]:
    # Negative where a list stands right below its key, as it may.
    return [f"{' ' * by}{line}" if line and by > 0 else line[max(0, -by) :] for line in lines]


def _compose(text: str) -> yaml.Node:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert node is not None  # noqa: S101 - it was read as a cassette before
    return node


def _checked(text: str, expected: Cassette) -> str:
    """The text, if it says what it should."""
    try:
        if load_text(text, _WHERE).cassette == expected:
            return text
    except DeclarationError:
        pass
    raise DeclarationError(
        "what is expected cannot be put into this file without changing how it is written;"
        " write turns, expect and frames in lines of their own, without aliases"
    )


Pair: TypeAlias = tuple[yaml.Node, yaml.Node]
"""A key and its value."""


def pairs_of(node: yaml.Node) -> list[Pair]:
    """The keys and values of a mapping; nothing for anything else."""
    return cast("list[Pair]", node.value) if isinstance(node, yaml.MappingNode) else []


def items_of(node: yaml.Node) -> list[yaml.Node]:
    """The items of a list; nothing for anything else."""
    return cast("list[yaml.Node]", node.value) if isinstance(node, yaml.SequenceNode) else []


def find_pair(node: yaml.Node, key: str) -> Pair | None:
    """The key of this name in a mapping, and its value."""
    return next((pair for pair in pairs_of(node) if pair[0].value == key), None)


def in_lines(node: yaml.Node) -> bool:
    """Whether this is a mapping or a list with a line for each of its parts."""
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def last_line(node: yaml.Node, lines: Sequence[str]) -> int:
    """The number from 0 of the last line with something of it; comments and blank lines after it do not count."""
    if in_lines(node):
        inside = [value for _, value in pairs_of(node)] + items_of(node)
        return max([node.start_mark.line, *(last_line(value, lines) for value in inside)])
    end = node.end_mark
    last = end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line
    while last > node.start_mark.line and not lines[last].strip():
        last -= 1
    return last
