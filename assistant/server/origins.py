"""Whose pages may talk to this server."""

from collections.abc import Collection


def allowed(origin: str | None, host: str, others: Collection[str]) -> bool:
    """Whether a page of this origin may connect. Clients that are no browsers name none.

    The scheme does not count for the server's own pages: before a proxy it may be https, behind it http.

    >>> allowed("https://shop.example", "shop.example", ())
    True
    >>> allowed("https://other.example", "shop.example", ["https://other.example"])
    True
    >>> allowed("https://evil.example", "shop.example", ())
    False
    >>> allowed("null", "", ()), allowed("http://[", "shop.example", ())
    (False, False)
    """
    if origin is None or origin in others:
        return True
    # Taken apart by hand: what comes here may be no address at all.
    place = origin.partition("://")[2]
    return bool(place) and place.lower() == host.lower()
