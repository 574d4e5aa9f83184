"""The word lists that come with the package."""

import pytest

from assistant.prompts.listening_words import ListeningWords
from assistant.prompts.shipped import shipped_book


@pytest.fixture(scope="session")
def words() -> ListeningWords:
    return shipped_book().words("en").listening


@pytest.fixture(scope="session")
def german() -> ListeningWords:
    return shipped_book().words("de").listening
