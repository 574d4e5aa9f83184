"""What the demo model says to a message that is not in English."""

from assistant.prompts.book import PromptBook
from assistant.prompts.language import language, name_of
from assistant.prompts.offline import OfflineForeign
from assistant.prompts.spoken import DEFAULT_LOCALE


def english_only(book: PromptBook, text: str) -> str:
    """That it understands English only, in the message's language and in English; "" for one that is in English."""
    locale = book.language_of(text, DEFAULT_LOCALE)
    if language(locale) == DEFAULT_LOCALE:
        return ""
    return book.render(OfflineForeign(language=name_of(locale)), locale)
