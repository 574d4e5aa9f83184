"""Draws the demo courier's photo: `python -m tests.demo_tools.draw_delivery_photo` writes it again."""

from pathlib import Path

from PIL import Image, ImageDraw

from tools import orders

FILE = Path(orders.__file__).with_name("_delivery_photo.png")

_FINER = 3
"""So much larger it is drawn, for smooth edges."""

_WALL, _GAP = (176, 112, 92), (196, 140, 120)
_FRAME, _DOOR, _PANEL, _KNOB = (240, 236, 226), (31, 77, 69), (42, 96, 86), (214, 176, 84)
_STEP, _EDGE, _MAT, _WEAVE = (186, 182, 174), (150, 146, 138), (96, 78, 60), (122, 100, 78)
_BOX, _SIDE, _LID, _TAPE = (201, 158, 104), (176, 134, 84), (218, 178, 124), (236, 222, 190)
_LABEL, _INK, _LEAF, _POT = (248, 246, 240), (70, 66, 60), (84, 140, 84), (196, 106, 72)


def photo() -> Image.Image:
    """A parcel before a green door."""
    image = Image.new("RGB", (480 * _FINER, 360 * _FINER), _WALL)
    draw = ImageDraw.Draw(image)
    _wall(draw)
    _door(draw)
    _plant(draw)
    _parcel(draw)
    smooth = image.resize((480, 360), Image.Resampling.LANCZOS)
    return smooth.quantize(96, dither=Image.Dither.NONE)


def _box(
    draw: ImageDraw.ImageDraw, left: int, top: int, right: int, bottom: int, colour: tuple[int, ...]
) -> None:
    draw.rectangle([left * _FINER, top * _FINER, right * _FINER - 1, bottom * _FINER - 1], colour)


def _shape(draw: ImageDraw.ImageDraw, colour: tuple[int, ...], *points: tuple[int, int]) -> None:
    draw.polygon([(x * _FINER, y * _FINER) for x, y in points], colour)


def _wall(draw: ImageDraw.ImageDraw) -> None:
    for row in range(17):
        _box(draw, 0, row * 18, 480, row * 18 + 2, _GAP)
        for brick in range(11):
            left = brick * 48 + row % 2 * 24
            _box(draw, left, row * 18, left + 2, row * 18 + 18, _GAP)
    _box(draw, 0, 296, 480, 360, _STEP)
    _box(draw, 0, 296, 480, 302, _EDGE)


def _door(draw: ImageDraw.ImageDraw) -> None:
    _box(draw, 142, 0, 338, 296, _FRAME)
    _box(draw, 156, 0, 324, 296, _DOOR)
    for left, top, bottom in ((174, 20, 118), (250, 20, 118), (174, 140, 270), (250, 140, 270)):
        _box(draw, left, top, left + 56, bottom, _PANEL)
    draw.ellipse([304 * _FINER, 146 * _FINER, 318 * _FINER, 160 * _FINER], _KNOB)
    _shape(draw, _MAT, (132, 306), (348, 306), (368, 348), (112, 348))
    for row in range(4):
        _box(draw, 124 - row * 4, 312 + row * 9, 356 + row * 4, 314 + row * 9, _WEAVE)


def _plant(draw: ImageDraw.ImageDraw) -> None:
    _shape(draw, _POT, (392, 252), (444, 252), (436, 306), (400, 306))
    for x, y in ((418, 168), (394, 196), (442, 196), (406, 218), (432, 218)):
        draw.ellipse([(x - 16) * _FINER, (y - 26) * _FINER, (x + 16) * _FINER, (y + 36) * _FINER], _LEAF)


def _parcel(draw: ImageDraw.ImageDraw) -> None:
    _box(draw, 186, 246, 272, 326, _BOX)
    _shape(draw, _SIDE, (272, 246), (302, 230), (302, 308), (272, 326))
    _shape(draw, _LID, (186, 246), (218, 230), (302, 230), (272, 246))
    _box(draw, 222, 246, 236, 326, _TAPE)
    _shape(draw, _TAPE, (222, 246), (253, 230), (266, 230), (236, 246))
    _box(draw, 194, 282, 218, 312, _LABEL)
    for row in range(4):
        _box(draw, 197, 287 + row * 6, 215 - row % 2 * 6, 289 + row * 6, _INK)


if __name__ == "__main__":
    photo().save(FILE, optimize=True)
