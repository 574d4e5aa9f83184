"""Decides which conversation a hello opens."""

from dataclasses import replace

from assistant.conversation.customer import Customer
from assistant.errors import IdentityError
from assistant.server.client_frames import Hello
from assistant.server.door import Door
from assistant.server.site_tokens import Introduction, UserRefused
from assistant.server.tokens import Visit


async def admit(hello: Hello, door: Door) -> Visit:
    """The visit that this hello begins or goes on with. Raises ``IdentityError``.

    Only a token opens a conversation that exists, and only its own. Whom the site introduces goes on with a
    conversation of their own, never with what somebody said before they were known.
    """
    if hello.user is not None:
        return await _introduced(hello.user, hello, door)
    if hello.token is None:
        if hello.conversation_id is not None:
            raise IdentityError(f"conversation {hello.conversation_id!r} opens only with its token")
        customer = await door.identity.identify(None, door.locale_of(hello.locale))
        return Visit(customer=customer, conversation=door.ids.new())
    earlier = door.tokens.read(hello.token)
    if hello.conversation_id not in {None, earlier.conversation}:
        raise IdentityError(f"the token is not for conversation {hello.conversation_id!r}")
    customer = await door.identity.identify(hello.token, door.locale_of(earlier.locale or hello.locale))
    return replace(earlier, customer=customer)


async def introduced(user: str, door: Door) -> Introduction:
    """Whom the site introduces by this token, which is used up then. Raises ``UserRefused``."""
    if door.site is None:
        raise UserRefused(
            "user_unavailable",
            "this server does not know your site: its operator must set ASSISTANT_SITE_SECRET",
        )
    return await door.site.redeem(user)


async def _introduced(user: str, hello: Hello, door: Door) -> Visit:
    introduction = await introduced(user, door)
    customer = replace(introduction.customer, locale=door.locale_of(introduction.locale or hello.locale))
    conversation = _own_conversation(customer, hello, door) or door.ids.new()
    return Visit(
        customer=customer,
        conversation=conversation,
        locale=introduction.locale,
        credential=introduction.credential,
    )


def _own_conversation(customer: Customer, hello: Hello, door: Door) -> str | None:
    """The conversation that the hello's token opens, if it is one of this very customer."""
    if hello.token is None:
        return None
    try:
        earlier = door.tokens.read(hello.token)
    except IdentityError:
        return None  # the site's word is the better one
    said_as = earlier.customer
    same = (said_as.tenant, said_as.id, said_as.level) == (customer.tenant, customer.id, customer.level)
    return earlier.conversation if same and hello.conversation_id in {None, earlier.conversation} else None
