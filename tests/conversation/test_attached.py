"""Models read of a customer's files below their words, and the embedded one reads it back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.attached import files_in, with_files
from assistant.conversation.documents import Attached

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
FILES = st.lists(st.builds(Attached, ref=st.from_regex(r"document:[a-z0-9]+", fullmatch=True), name=NAMES))


@given(FILES)
def test_whatever_a_file_is_called_it_is_one_line_and_read_back(files: list[Attached]) -> None:
    said = with_files("Is this right?", files)

    assert said.count("\n") == len(files)
    assert files_in(said) == ("Is this right?", tuple(files))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " Hello ",
        r'[file from the customer: "\q", document:7]',
        '[file from the customer: "a", result:7]',
        'See [file from the customer: "a", document:7] there',
    ],
)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert files_in(text) == (text, ())
