"""Texts in which there is nothing to read: providers refuse messages made of them."""


def is_blank(text: str) -> bool:
    r"""Whether nothing but white space stands in it.

    >>> is_blank(""), is_blank(" \n"), is_blank(" a")
    (True, True, False)
    """
    return not text or text.isspace()
