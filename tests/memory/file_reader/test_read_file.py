"""A file becomes text by its content; an unreadable one is refused with the readable types."""

import asyncio
from collections.abc import Callable

import pytest

from assistant.clock import SystemClock
from assistant.errors import DocumentRefused
from assistant.memory import file_reader_process as worker
from assistant.memory.file_reader import ReadFile, parse_answer, read_file
from assistant.memory.file_reader_process import MAX_CHARACTERS, MAX_FILE_BYTES
from tests.support.rows import check_rows

PAGE = b"""<!doctype html><html><head><title>Sizes</title><style>a {}</style></head><body>
<nav>Menu</nav><h1>Size chart</h1><p>Small is <b>36</b>, see <a href="/x">here</a>.</p>
<p hidden>hidden</p><p style="color: red; display : none">unseen</p><div aria-hidden="true">icon</div>
<script>run()</script><table><tr><th>Size</th><th>mm</th></tr><tr><td>S</td><td>36</td></tr></table></body></html>"""


async def read(name: str, content: bytes) -> ReadFile:
    return await read_file(name, content, SystemClock())


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("docs/returns.md", b"Intro\n# Returns policy #\nText", ("Returns policy", "text/markdown")),
        ("returns.md", b"No heading", ("returns", "text/markdown")),
        ("notes.txt", b"# no heading here", ("notes", "text/plain")),
        ("C:\\files\\notes", b"text", ("notes", "text/plain")),
    ],
)
async def test_a_text_has_its_heading_or_its_name_as_title(
    name: str, content: bytes, expected: tuple[str, str]
) -> None:
    got = await read(name, content)
    assert (got.title, got.mime) == expected
    assert got.text == content.decode()


@pytest.mark.parametrize(
    "content",
    [
        "Grüße\r\nan alle\r".encode(),
        "Grüße\nan alle\n".encode("utf-8-sig"),
        "Grüße\nan alle\n".encode("utf-16"),
        b"\xfe\xff" + "Grüße\nan alle\n".encode("utf-16-be"),
        "Grüße\nan alle\n".encode("latin-1"),
    ],
)
async def test_a_text_is_read_in_any_encoding(content: bytes) -> None:
    assert (await read("a.txt", content)).text == "Grüße\nan alle\n"


async def test_the_visible_text_of_a_page_is_read() -> None:
    got = await read("sizes.txt", PAGE)
    assert (got.title, got.mime) == ("Sizes", "text/html")
    assert got.text.startswith("# Size chart\n\nSmall is **36**, see here.")
    assert "| S | 36 |" in got.text
    for unseen in ("Menu", "hidden", "unseen", "icon", "run()", "{}"):
        assert unseen not in got.text


def test_the_reader_process_gives_the_same_result_as_this_one() -> None:
    answer = worker.read("text/html", PAGE)
    assert (answer["title"], answer["text"].splitlines()[0]) == ("Sizes", "# Size chart")
    assert "unseen" not in answer["text"]
    assert "hidden" not in answer["text"]


async def test_if_a_page_has_a_main_part_only_that_is_read() -> None:
    got = await read("a.html", b"<p>Aside</p><main><p>Main words.</p></main>")
    assert (got.title, got.text) == ("a", "Main words.")


async def test_the_pages_of_a_pdf_are_separated(pdf: Callable[..., bytes]) -> None:
    got = await read("Size chart.txt", pdf("First page", "Second page", packed=True))
    assert (got.title, got.mime, got.text) == ("Size chart", "application/pdf", "First page\fSecond page")


@check_rows(
    ("name", "content", "told"),
    [
        ("a.docx", b"PK\x03\x04rest", "save it as PDF"),
        ("a.png", b"\x89PNG\r\n", "a picture"),
        ("a.txt", b"some\0zero", "bytes in it that no text has"),
        ("a.txt", bytes(range(1, 32)) * 10, "is not a text file"),
        ("a.txt", b" \n ", "has no text in it"),
        ("a.html", b"<html><script>x</script></html>", "has no text in it"),
        ("a.txt", b"a " * MAX_CHARACTERS, "too long: more than 2,000,000 characters"),
        ("a.txt", b"a" * (MAX_FILE_BYTES + 1), "50,000,001 bytes; 50,000,000 can be read"),
        ("a.pdf", b"%PDF-1.4 and nothing else", "print or save it as a PDF again"),
    ],
)
async def test_an_unreadable_file_is_refused_with_the_readable_types(
    name: str, content: bytes, told: str
) -> None:
    with pytest.raises(DocumentRefused, match=told) as raised:
        await read(name, content)
    assert repr(name) in str(raised.value)


def locked(content: bytes) -> bytes:
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(content)))
    writer.encrypt("secret", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_locked_scanned_or_long_pdfs_are_refused_with_the_reason(pdf: Callable[..., bytes]) -> None:
    assert "password" in worker.read("application/pdf", locked(pdf("text")))["refused"]
    assert "pictures" in worker.read("application/pdf", pdf(drawn=b"0 0 m 9 9 l S"))["refused"]
    assert "2001 pages" in worker.read("application/pdf", pdf(*["x"] * 2_001))["refused"]
    bomb = pdf(drawn=b"BT (x) Tj ET " + b" " * 200_000_000, packed=True)
    assert "refused" in worker.read("application/pdf", bomb)


def test_an_endless_text_is_cut_at_the_limit(pdf: Callable[..., bytes]) -> None:
    answer = worker.read("application/pdf", pdf(*["many words " * 5_000] * 60, packed=True))
    assert len(answer["text"]) == MAX_CHARACTERS + 1


def test_a_page_that_is_nested_too_deeply_is_refused() -> None:
    assert "nested too deeply" in worker.read("text/html", b"<html>" + b"<b>" * 2_000 + b"x")["refused"]


class Impatient(SystemClock):
    """Allows no time for anything."""

    def timeout(self, seconds: float | None) -> asyncio.Timeout:
        return super().timeout(0.05)


async def test_a_file_that_takes_too_long_is_refused() -> None:
    with pytest.raises(DocumentRefused, match="takes longer than 30 s"):
        await read_file("a.html", b"<html>" + b"<" * 10_000_000, Impatient())


@pytest.mark.parametrize("out", [b"", b'{"title": "half'])
def test_a_crash_of_the_reader_refuses_the_file(out: bytes) -> None:
    with pytest.raises(DocumentRefused, match=r"'a[.]html' is more than can be read"):
        parse_answer("a.html", out)
