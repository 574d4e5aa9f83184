"""A server that cannot be spoken to just now, in words for operators."""


class Unreachable(Exception):
    """Why a connection was not made, or is none any more. Never holds a secret."""
