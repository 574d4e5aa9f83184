"""Who calls: somebody whom nobody knows. A number can be forged, so it says nothing about a person."""

from assistant.conversation.customer import ConversationKey, Customer

_LONGEST = 64


def caller(tenant: str, call_sid: str, locale: str) -> Customer:
    """The visitor on this call.

    >>> caller("shop", "CA7", "en").known
    False
    """
    return Customer(tenant=tenant, id=f"call-{call_sid}", locale=locale)


def conversation_of(tenant: str, call_sid: str) -> ConversationKey:
    """Where this call's conversation lives, so that a line that was cut goes on with it.

    >>> conversation_of("shop", "CA7").conversation
    'call-CA7'
    """
    return ConversationKey(tenant=tenant, customer=f"call-{call_sid}", conversation=f"call-{call_sid}")


def is_call_sid(text: str) -> bool:
    """Whether this can be Twilio's id of a call.

    >>> is_call_sid("CA0123"), is_call_sid(""), is_call_sid("../x")
    (True, False, False)
    """
    return text.isascii() and text.isalnum() and 2 <= len(text) <= _LONGEST
