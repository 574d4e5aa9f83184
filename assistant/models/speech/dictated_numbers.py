"""Removes the commas that models write into long dictated numbers."""

import re

_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")


def without_grouping(text: str, locale: str) -> str:
    """Returns the text without commas inside numbers, because a dictated order number has none.

    Only for English: in other languages a comma may be a decimal separator.

    >>> without_grouping("Cancel order 10,482, please. I paid 1,250.50 euros.", "en-GB")
    'Cancel order 10482, please. I paid 1250.50 euros.'
    >>> without_grouping("Das sind 1,250 Kilo.", "de")
    'Das sind 1,250 Kilo.'
    """
    if locale.casefold().replace("_", "-").partition("-")[0] not in ("en", ""):
        return text
    return _GROUPED.sub(lambda found: found.group().replace(",", ""), text)
