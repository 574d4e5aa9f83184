"""Pictures for tests, made when they are needed."""

from io import BytesIO
from typing import Any

from PIL import Image

GREEN, RED = (20, 120, 90), (180, 30, 30)


def picture(
    kind: str = "PNG",
    size: tuple[int, int] = (60, 40),
    mode: str = "RGB",
    colour: Any = GREEN,
    **options: Any,
) -> bytes:
    """A picture of one colour, as a file."""
    return written(Image.new(mode, size, colour), kind, **options)


def written(image: Image.Image, kind: str, **options: Any) -> bytes:
    """An image as a file."""
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def read(content: bytes) -> Image.Image:
    """A file as an image, unpacked."""
    image = Image.open(BytesIO(content))
    image.load()
    return image


def from_a_phone(orientation: int = 6, size: tuple[int, int] = (60, 40)) -> bytes:
    """A JPEG whose upper half is red, which says how the phone was held, and where it was taken."""
    image = Image.new("RGB", size, GREEN)
    image.paste(RED, (0, 0, size[0], size[1] // 2))
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Phone maker"
    exif.get_ifd(0x8825).update({1: "N", 2: (59.0, 19.0, 30.0)})
    return written(image, "JPEG", exif=exif, quality=95)
