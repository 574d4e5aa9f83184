"""Decides which conversation a hello opens."""

from assistant.errors import IdentityError
from assistant.server.client_frames import Hello
from assistant.server.door import Door
from assistant.server.tokens import Visit


async def admit(hello: Hello, door: Door) -> Visit:
    """The visit that this hello begins or goes on with. Raises ``IdentityError``.

    Only a token opens a conversation that exists, and only its own.
    """
    if hello.token is None:
        if hello.conversation_id is not None:
            raise IdentityError(f"conversation {hello.conversation_id!r} opens only with its token")
        customer = await door.identity.identify(None, hello.locale)
        return Visit(customer=customer, conversation=door.ids.new())
    conversation = door.tokens.read(hello.token).conversation
    if hello.conversation_id not in {None, conversation}:
        raise IdentityError(f"the token is not for conversation {hello.conversation_id!r}")
    customer = await door.identity.identify(hello.token, hello.locale)
    return Visit(customer=customer, conversation=conversation)
