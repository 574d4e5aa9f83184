"""Nothing that a customer, a model provider or a client sees has changed since the hashes were written."""

import logging

import pytest
import structlog

from tests.golden.record import hashes_of, read_hashes
from tests.golden.scenes import scenes

CURE = """
`python -m tests.golden compare HEAD` shows what is different from the last commit (or name another revision).
Where that was meant, write the hashes anew with `python -m tests.golden renew`, and say in the commit what changed.
"""


@pytest.mark.parametrize("kind", ["cassette", "chat", "voice", "phone", "options"])
def test_every_conversation_is_as_recorded(kind: str) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    known = {key: value for key, value in read_hashes().items() if key[0].startswith(f"{kind}/")}
    found: dict[tuple[str, str], str] = {}
    for name, play in scenes().items():
        if name.startswith(f"{kind}/"):
            found |= hashes_of(name, play())

    different = [" ".join(key) for key in sorted(known | found) if known.get(key) != found.get(key)]

    assert not different, f"{len(different)} differ:\n" + "\n".join(different[:40]) + CURE
