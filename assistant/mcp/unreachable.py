"""What goes wrong with a server: it cannot be spoken to just now, or its answer cannot be read."""


class Unreachable(Exception):
    """Why a connection was not made, or is none any more, for operators. Never holds a secret."""


class Unreadable(Exception):
    """Why an answer cannot be used, for the model. What was called may have been done all the same.

    ``say`` is a clause for the customer.
    """

    def __init__(self, say: str, why: str) -> None:
        super().__init__(why)
        self.say = say


class SignInRefused(Unreachable):
    """The server does not accept the credential that the connection carries."""
