"""A PDF to text, page by page."""

from io import BytesIO

from assistant.errors import DocumentRefused
from assistant.memory.reading.limits import CHARACTERS, PAGES

PAGE_ENDS = "\f"


def read_pdf(content: bytes) -> str:
    """The text, with a form feed between pages. Takes time and memory as its author likes.

    Raises:
        DocumentRefused: it is locked, has only pictures in it, is too long, or broken.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentRefused("is locked with a password; save it without one")
        if len(reader.pages) > PAGES:
            raise DocumentRefused(f"has {len(reader.pages)} pages; cut it into parts of at most {PAGES}")
        pages: list[str] = []
        characters = 0
        for page in reader.pages:
            pages.append(page.extract_text().replace(PAGE_ENDS, "\n"))
            characters += len(pages[-1])
            if characters > CHARACTERS:
                break  # too long, as will be seen
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        # A broken file surprises its reader in as many ways as there are to break it.
        raise DocumentRefused(
            f"is broken, or no PDF ({type(error).__name__}); open it, and print or save it as a PDF again"
        ) from error
    if not characters or not any(page.strip() for page in pages):
        raise DocumentRefused("has no text, so its pages are pictures; let text be recognised in it first")
    return PAGE_ENDS.join(pages)
