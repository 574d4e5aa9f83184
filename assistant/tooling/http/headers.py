"""Joins headers, whose names are the same in capitals and in small letters."""

from collections.abc import Mapping


def joined(*layers: Mapping[str, str]) -> dict[str, str]:
    """Each header once; the last layer that has it counts.

    >>> joined({"Accept": "text/plain", "X-Shop": "1"}, {"accept": "application/json"})
    {'accept': 'application/json', 'X-Shop': '1'}
    """
    by_name = {name.lower(): (name, text) for layer in layers for name, text in layer.items()}
    return dict(by_name.values())
