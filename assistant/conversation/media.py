"""A picture or file that a tool hands back beside its value."""

from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path, PurePath

from assistant.conversation.picture import picture_in

MOST_BYTES = 20_000_000
"""A larger file cannot be made into media: not even a picture that will be scaled down."""

_BY_ENDING = {
    ".csv": "text/csv",
    ".ics": "text/calendar",
    ".json": "application/json",
    ".mp3": "audio/mpeg",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wav": "audio/wav",
}
"""Written down, because what a machine's own table knows differs from machine to machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture or file that travels apart from the text. ``data`` is base64.

    :meth:`of` makes one of bytes or of a file. ``name`` is what the customer reads: a picture's words for those
    who cannot see it, and a file's name.
    """

    mime: str
    data: str
    name: str | None = None

    @classmethod
    def of(cls, content: bytes | Path, *, name: str | None = None, mime: str | None = None) -> "Media":
        r"""Media of these bytes, or of this file; what kind they are is read from the bytes.

        >>> Media.of(b"%PDF-1.7 ...", name="invoice.pdf")
        Media(mime='application/pdf', data='JVBERi0xLjcgLi4u', name='invoice.pdf')

        Args:
            content: the bytes, or where the file is. It is read at once: in an async tool, read it in a thread.
            name: such as "Your parcel at the door" or "invoice.pdf"; a file's own when left out.
            mime: for kinds that cannot be found out, such as "application/zip". What the bytes say is believed.

        Raises:
            ValueError: there is nothing in it, or too much, or nobody can say what kind it is.
            TypeError: it is neither bytes nor a Path.
            OSError: the file cannot be read.
        """
        ending = (content if isinstance(content, Path) else PurePath(name or "")).suffix.lower()
        if isinstance(content, Path):
            name, content = name or content.name, content.read_bytes()
        elif not isinstance(content, bytes):
            raise TypeError(
                f"Media.of takes bytes or a Path, not {type(content).__name__}; a text may be either an address "
                "or base64: write Media.of(Path(...)), or Media(mime='image/png', data=...) for base64"
            )
        shown = repr(name) if name else "the media"
        if not content:
            raise ValueError(f"{shown} is empty: there is nothing to show")
        if len(content) > MOST_BYTES:
            raise ValueError(f"{shown} has {len(content)} bytes; at most {MOST_BYTES} can be handed on")
        kind = _found_out(content) or mime or _BY_ENDING.get(ending)
        if kind is None:
            raise ValueError(
                f"nobody can say what kind {shown} is ({len(content)} bytes that begin with {content[:8]!r}): PNG, "
                "JPEG, GIF, WebP and PDF are known by themselves; for others say it, such as mime='text/csv'"
            )
        return cls(mime=kind, data=b64encode(content).decode(), name=name)

    @property
    def content(self) -> bytes:
        """The bytes themselves. Raises ``ValueError``: the data are no base64."""
        return b64decode(self.data, validate=True)


def _found_out(content: bytes) -> str | None:
    """What kind the bytes say that they are."""
    picture = picture_in(content)
    if picture is not None:
        return picture.mime
    return "application/pdf" if content.startswith(b"%PDF-") else None
