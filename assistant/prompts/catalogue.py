"""Every prompt there is: the one list that ties the templates to their typed inputs."""

from assistant.prompts.aside import Aside
from assistant.prompts.earlier import Earlier
from assistant.prompts.instructions import (
    Decider,
    Groundless,
    Narrator,
    PersonTool,
    PromiseAgain,
    SimulatedCustomerPart,
    Unproved,
    UnreadableCalls,
)
from assistant.prompts.lookup import FromDocuments, LoadTool, SearchTool
from assistant.prompts.offline import (
    OfflineAsk,
    OfflineForeign,
    OfflineHelp,
    OfflineNote,
    OfflineProve,
    OfflineRemembered,
    OfflineSmalltalk,
    OfflineUnsure,
)
from assistant.prompts.phone import PhoneTold
from assistant.prompts.prompt import Prompt
from assistant.prompts.summaries import DialogueSummary, ResultSummary
from assistant.prompts.text_route import TextRouteRules
from assistant.prompts.utterances import (
    Apology,
    Confirmation,
    ConfirmationLate,
    ConfirmationLeft,
    ConfirmationPerson,
    DefaultClause,
    HandoffTold,
    Narrated,
    NotPossible,
    OneMoment,
    OutcomeTold,
    ReadBack,
    StillWaiting,
)

PROMPTS: tuple[type[Prompt], ...] = (
    Decider,
    Narrator,
    Earlier,
    SimulatedCustomerPart,
    PromiseAgain,
    UnreadableCalls,
    TextRouteRules,
    DialogueSummary,
    ResultSummary,
    Groundless,
    Unproved,
    DefaultClause,
    ReadBack,
    Confirmation,
    ConfirmationLate,
    ConfirmationLeft,
    ConfirmationPerson,
    OutcomeTold,
    Narrated,
    OneMoment,
    StillWaiting,
    Apology,
    NotPossible,
    PersonTool,
    HandoffTold,
    Aside,
    PhoneTold,
    SearchTool,
    LoadTool,
    FromDocuments,
    OfflineHelp,
    OfflineAsk,
    OfflineProve,
    OfflineRemembered,
    OfflineUnsure,
    OfflineSmalltalk,
    OfflineForeign,
    OfflineNote,
)
