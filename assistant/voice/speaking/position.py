"""How many characters of a message were heard, when so much of a clip's sound was."""


def heard_up_to(text: str, start: int, end: int, part: float) -> int:
    """The end of the last word that was heard in full, or ``start``.

    Speech is taken to go on evenly. ``part`` is how much was played of the clip that says ``text[start:end]``, from
    0 to 1.

    >>> text = "You owe 150 euros. It is due on Friday."
    >>> text[:heard_up_to(text, 0, 18, 0.5)], text[:heard_up_to(text, 0, 18, 1.0)]
    ('You owe', 'You owe 150 euros.')
    >>> heard_up_to(text, 18, 39, 0.05)
    18
    """
    if part >= 1.0:
        return end
    # White space takes no time at its end.
    reached = start + int(len(text[start:end].rstrip()) * max(0.0, part))
    if not text[reached : reached + 1].isspace():
        # Within a word, or right before one: back to the white space that ended the last.
        reached = max(reached - _letters_before(text[start:reached]), start)
    while reached > start and text[reached - 1].isspace():
        reached -= 1
    return reached


def _letters_before(text: str) -> int:
    """How many characters stand behind the last white space."""
    return next((back for back, letter in enumerate(reversed(text)) if letter.isspace()), len(text))
