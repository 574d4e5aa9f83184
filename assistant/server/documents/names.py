"""What a file is called here, whatever whoever sends it says."""

import unicodedata
from pathlib import PurePosixPath

from assistant.server.documents.refusal import Refusal

LONGEST = 120
"""Characters of a name; what is longer is cut before its ending."""


def file_name(said: str) -> str:
    r"""The last part of a path, in one line; raises ``Refusal`` where nothing is left.

    >>> file_name("C:\\letters\\May.pdf"), file_name("../../etc/notes.md"), file_name("Rechnung\u2028 Mai .txt")
    ('May.pdf', 'notes.md', 'Rechnung Mai .txt')
    >>> len(file_name("a" * 500 + ".txt")), file_name("a" * 500 + ".txt")[-5:]
    (120, 'a.txt')
    """
    last = said.replace("\\", "/").rpartition("/")[2]
    signs = (" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in last)
    name = " ".join("".join(signs).split()).strip()
    if not name.strip("."):
        raise Refusal(
            422, "bad_name", f"a file needs a name with an ending such as 'May.pdf'; got {said[:60]!r}"
        )
    ending = ending_of(name)
    return name[: LONGEST - len(ending)].rstrip() + ending if len(name) > LONGEST else name


def ending_of(name: str) -> str:
    """What a file's kind is told by, in small letters; "" for none.

    >>> ending_of("May.PDF"), ending_of("README"), ending_of("archive.tar.gz")
    ('.pdf', '', '.gz')
    """
    return PurePosixPath(name).suffix.lower()
