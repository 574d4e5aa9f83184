"""Records of what people did and saw in the console."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["begun", "ok", "refused", "failed"]
"""``begun``: the server stopped before the end, so that it is not known what happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One action or view.

    Args:
        tenant: whose console it was.
        at_ms: when it began.
        account: the id of the person; "" for no account, such as the command line or an unknown login.
        login: the person's login at that time, or what acted.
        action: such as "people.change".
        kind: what was acted on, such as "account" or "conversation"; "" for nothing in particular.
        object: its id.
        customer: whose data it is; "" if it is of no customer.
        detail: what was asked for, in a few words.
        address: where the request came from; "" for this machine.
        outcome: what came of it.
        number: given by the storage, in ascending order; 0 before that.
    """

    tenant: str
    at_ms: int
    account: str
    login: str
    action: str
    kind: str = ""
    object: str = ""
    customer: str = ""
    detail: str = ""
    address: str = ""
    outcome: Outcome = "begun"
    number: int = 0
