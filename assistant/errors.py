"""Everything that can go wrong, as a tree.

* AssistantError
    * ToolError             a tool tried and could not; raised by the CRM teams' tools
        * CredentialError   the customer's own credential is missing, has expired, or was refused
    * DecisionError         a model's reply cannot be carried out
        * UnknownTool       it asked for a tool that is not registered
        * BadArguments      its arguments do not fit the tool
        * TooManyCalls      one reply asked for more calls than it may
        * BadReference      an argument cannot be taken from another call's result (assistant/tools/references)
    * ModelError            a provider failed
        * ModelTimeout      no first token, or no next one, in time
        * ModelRefused      the provider answered with an error of ours: key, name, request
        * ModelBusy         the provider asks to come back later (429, 503, 529)
        * ModelBroke        the stream ended early or said something unreadable
        * ReplyCut          the reply was stopped here: too much text, too many calls, too long, no client
        * OverBudget        no model was asked, because a budget is spent (assistant/turn/spending)
        * AssistantPaused   no model was asked, because staff have paused the assistant (assistant/turn/pausing)
    * PromptError           a template and its values do not fit
    * LogError              the log did not take an entry
        * LogConflict       another writer has appended to this conversation
        * AlreadySaid       the log already contains the client's message id
        * BeingErased       the customer's data are being erased: nothing more of them is recorded
        * OtherTenant       one tenant's storage was asked for another's data; also a StoreError
    * StoreError            the store of documents did not answer
    * DeclarationError      a tool, template or setting is wrong; found at start-up, never in a conversation
    * IdentityError         a token that cannot be trusted
    * SimulatorFailed       the model that plays a customer failed (assistant/evaluation)

``str(error)`` is for our logs, ``error.say`` for the customer, ``error.for_model`` for the model.
"""

from collections.abc import Sequence
from typing import Final

NO_REASON: Final = "that did not work"
"""The customer's clause for a failure whose reason would not help the customer."""


class AssistantError(Exception):
    """The root. ``say`` is a clause that follows "I'm sorry, " or "because "."""

    say: str = "something went wrong on our side"

    @property
    def for_model(self) -> str:
        """What the model should know in order to correct itself."""
        return str(self)


class ToolError(AssistantError):
    """A tool could not do its work. CRM teams raise only this exception.

    Args:
        say: a clause the customer may hear, such as "I can't find a billing account for you".
        for_model: what a model needs to do better; the clause itself when left out.
        temporary: the next attempt may succeed, so a tool with ``retries`` is tried again.
        retry_after_s: the shortest wait before a retry; a call with less time left is not retried.
    """

    temporary: bool = False
    retry_after_s: float | None = None

    def __init__(
        self,
        say: str,
        *,
        for_model: str | None = None,
        temporary: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        self.say = say
        self.temporary = temporary
        self.retry_after_s = retry_after_s
        self._for_model = for_model
        super().__init__(say)

    @property
    def for_model(self) -> str:
        """The tool's own text for the model, or its clause ``say``."""
        return self._for_model or self.say


class CredentialError(ToolError):
    """A tool needs the customer's own credential, and no valid one exists. The call ends as ``denied``.

    Args:
        refused: there is one, and the company's system did not accept it; False: there is none, or it has expired.
    """

    def __init__(self, *, refused: bool = True) -> None:
        why = "the system behind it did not accept that" if refused else "there is none, or it has expired"
        super().__init__(
            "your sign-in has expired, so please sign in again on our site",
            for_model=f"This tool acts with the customer's own sign-in, and {why}. Nothing was done. Tell the"
            " customer to sign in again on the site, and do not call it again before they have.",
        )


class DecisionError(AssistantError):
    """A model's reply cannot be carried out."""


class UnknownTool(DecisionError):
    """The decision model asked for a tool that is not registered."""

    say = "that is not something I can do"

    def __init__(self, asked: str, known: Sequence[str]) -> None:
        self.asked, self.known = asked, tuple(known)
        super().__init__(f"There is no tool {asked!r}. Available: {', '.join(known) or 'none'}.")


class BadArguments(DecisionError):
    """The arguments do not fit the tool's parameters.

    Args:
        tool: the tool's name.
        problems: one line per argument, with the value that did not fit.
    """

    say = "I could not work out the details"

    def __init__(self, tool: str, problems: Sequence[str]) -> None:
        self.tool, self.problems = tool, tuple(problems)
        super().__init__(f"The arguments do not fit {tool!r}: {'; '.join(problems)}.")


class TooManyCalls(DecisionError):
    """One reply contained too many calls. This call and those after it did not run."""

    say = "that was more than I can do at once"


class ModelError(AssistantError):
    """A provider failed."""

    say = "I can't reach the service that helps me answer just now"


class ModelTimeout(ModelError):
    """The first token, or the next one, did not come in time."""


class ModelRefused(ModelError):
    """The provider refused the request: wrong key, model name or request. Asking again does not help."""


class ModelBusy(ModelError):
    """The provider is busy and asks to be asked again later.

    Args:
        retry_after_s: the pause that the provider asked for; None if it named none.
    """

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class ModelBroke(ModelError):
    """The stream ended early or contained something unreadable."""


class ReplyCut(ModelError):
    """A reply was stopped because it exceeded a limit. The message names the limit."""

    say = "I had to stop before I was finished"

    def __init__(self, why: str) -> None:
        super().__init__(f"{REPLY_CUT}{why}")


REPLY_CUT = "the reply was stopped: "
"""How the message of :class:`ReplyCut` begins; a turn that is resumed recognises it in the log."""


class PromptError(AssistantError):
    """A template and its values do not match."""


class LogError(AssistantError):
    """The log did not store an entry. Nothing of that entry may be shown."""

    say = "I could not save what we said"


class LogConflict(LogError):
    """Another writer has appended to this conversation. This writer must stop."""


class Fenced(LogConflict):
    """Another server writes this conversation now. This one must stop at once, and may not write it again."""


class BeingErased(LogError):
    """The customer's data are being erased. No more entries are recorded."""


class AlreadySaid(LogError):
    """The log already contains this client message id. Sending it again has no effect."""


class StoreError(AssistantError):
    """The document store did not answer. Nothing was changed."""

    say = "I can't look into our documents just now"


class OtherTenant(LogError, StoreError):
    """One tenant's storage was asked for something of another tenant. Nothing was read or changed."""

    def __init__(self, tenant: str) -> None:
        super().__init__(f"this storage is for the tenant {tenant!r} alone; nothing was read or changed")


class EmbeddingError(AssistantError):
    """A text could not be turned into a vector."""

    say = "I can't look into our documents just now"


class SpeechError(AssistantError):
    """Speech could not be transcribed, or text could not be spoken."""

    say = "I can't hear you well just now"


class DocumentRefused(AssistantError):
    """A document cannot be kept: it is too large, of an unknown kind, or unreadable. The message says what is
    allowed.
    """

    say = "I can't read that file"


class DeclarationError(AssistantError):
    """A tool, template or setting is wrong. The message says where, what, and how to fix it. Stops the start."""


class IdentityError(AssistantError):
    """A token cannot be trusted: it is forged, expired, or for another conversation."""

    say = "I could not confirm who you are"
