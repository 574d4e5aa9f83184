"""How much of a file anybody is ready to read."""

from typing import Final

BYTES: Final = 50_000_000
"""Of any file; those who take files from customers set a smaller one."""

CHARACTERS: Final = 2_000_000
"""Of the text in it: a book of a thousand pages."""

PAGES: Final = 2_000

READING_S: Final = 30.0
"""How long the process may take that reads HTML and PDF; it may use the processor for nearly as long."""

PROCESSOR_S: Final = 25

MEMORY_BYTES: Final = 1_500_000_000
"""What that process may have, where the system can hold it to that."""
