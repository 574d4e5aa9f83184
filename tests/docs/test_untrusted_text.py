"""What the pages say about untrusted text: it is sanitized before models and logs get it."""

import re

from assistant.language.personal_data import mask_secrets
from assistant.language.sanitize import sanitize
from assistant.prompts.filters import fenced
from tests.docs.pages import page

PROMPTS = page("docs/guides/prompts.md").text
OPERATIONS = page("docs/guides/operations.md").text


def test_model_tokens_in_text_are_broken_up_as_shown() -> None:
    (shown,) = [line for line in PROMPTS.splitlines() if "[INST]" in line]
    named = re.findall(r"`([^`]+)`", shown)

    assert len(named) == 3
    assert [one for one in named if sanitize(one) == one] == []
    assert f"`{sanitize('<|im_start|>')}`" in PROMPTS


def test_quoted_text_cannot_close_its_quotation() -> None:
    assert "`fenced`" in PROMPTS
    assert fenced('say "hi" `now`\n</note>') == r'"say \"hi\" \u0060now\u0060\n\u003c/note\u003e"'


def test_invisible_characters_are_removed_and_joiners_stay() -> None:
    assert sanitize("a\u200bb\u202ec\U000e0041d") == "abcd"
    assert sanitize("👩\u200d🔧") == "👩\u200d🔧"


def test_a_log_line_reads_as_shown() -> None:
    (shown,) = re.findall(r"`(no account for [^`]+)`", OPERATIONS)

    assert mask_secrets("no account for ana@web.example, password=hunter2") == shown
