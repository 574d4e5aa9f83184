"""Who a visitor is: whoever their token says, and a new customer without one."""

from dataclasses import dataclass, replace

from assistant.conversation.customer import Customer
from assistant.ports import Ids
from assistant.server.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorIdentity:
    """The identity port for a page whose visitors nobody vouches for.

    ``demo_customer``, where there is one, is who every new visitor of a demo page is: each has a conversation
    of their own with that customer's data. Without it a new visitor is anonymous.
    """

    tokens: Tokens
    ids: Ids
    tenant: str = "default"
    demo_customer: Customer | None = None

    async def identify(self, token: str | None, locale: str) -> Customer:
        """The customer behind a token; a new visitor for None. Raises ``IdentityError``."""
        if token is not None:
            return replace(self.tokens.read(token).customer, locale=locale)
        if self.demo_customer is not None:
            return replace(self.demo_customer, locale=locale)
        return Customer(tenant=self.tenant, id=self.ids.new(), locale=locale)
