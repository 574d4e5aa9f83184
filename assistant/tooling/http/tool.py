"""A tool made of a section of a file of HTTP tools."""

from dataclasses import dataclass, replace
from http import HTTPStatus

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.errors import CredentialError
from assistant.prompts.book import PromptBook
from assistant.tooling.arguments import fitted
from assistant.tooling.confirmation import clause_of
from assistant.tooling.http.placeholders import given
from assistant.tooling.http.reading import Reading
from assistant.tooling.http.request import RequestPlan
from assistant.tooling.http.send import send
from assistant.tooling.http.service import Service
from assistant.tooling.options import PerLocale, by_locale
from assistant.tooling.tool import ToolContext, ToolResult


@dataclass(frozen=True, kw_only=True, eq=False)
class HttpTool:
    """A :class:`assistant.tooling.tool.Tool` whose run is one request.

    ``draft`` says that nobody has reviewed it: it can be checked and called by hand, and is not offered. ``claims``
    are the facts about the customer that its request needs.
    """

    spec: ToolSpec
    service: Service
    request: RequestPlan
    reading: Reading
    claims: tuple[str, ...] = ()
    confirm: bool | PerLocale = False
    draft: bool = False

    def validate(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they will be used. Raises ``BadArguments``."""
        return fitted(self.spec.name, self.spec.parameters, arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Send the request. Raises ``ToolError`` for whatever is no result, ``BadArguments`` before it is sent.

        A request that carries the customer's own credential is never sent without it: ``CredentialError``.
        """
        service = self._service_for(customer)
        # What the company fills in comes last: no argument can stand in its place.
        request = self.request.with_values({**arguments, **given(customer, context.key)})
        answer = await send(request, service)
        if service.credentials.of_customer and answer.status == HTTPStatus.UNAUTHORIZED:
            raise CredentialError
        return ToolResult(self.reading.value(answer, service, customer.locale))

    def _service_for(self, customer: Customer) -> Service:
        """The system, as this customer's requests sign in to it."""
        if not self.spec.credential:
            return self.service
        held, signs_in = customer.credential, self.service.credentials.of_customer
        if held is None or not held.claims.keys() >= set(self.claims) or (signs_in and not held.token):
            raise CredentialError(refused=False)
        return replace(self.service, credentials=self.service.credentials.for_customer(held.token))

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """The clause that tells what would be done, in ``customer.locale``; None without a wording in it."""
        if isinstance(self.confirm, bool):
            return None
        return clause_of(by_locale(self.confirm), self.spec, arguments, customer.locale, book)
