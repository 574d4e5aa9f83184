"""The names of spans' attributes: OpenTelemetry's conventions for generative AI, and those of this program."""

from typing import Final

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
AGENT: Final = "gen_ai.agent.name"
CONVERSATION: Final = "gen_ai.conversation.id"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
STREAM: Final = "gen_ai.request.stream"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
TOOL: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
CALL: Final = "gen_ai.tool.call.id"

INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"
"""This attribute and the three before it contain texts of the conversation, so they are sent only if
``ASSISTANT_TRACE_CONTENTS`` is true.
"""

ERROR: Final = "error.type"

TENANT: Final = "meanwhile.tenant"
TURN: Final = "meanwhile.turn"
CAUSE: Final = "meanwhile.turn.cause"
OUTCOME: Final = "meanwhile.outcome"
ROLE: Final = "meanwhile.model.role"
ROUND: Final = "meanwhile.round"
ATTEMPT: Final = "meanwhile.attempt"
COST: Final = "meanwhile.cost_usd"
LATE: Final = "meanwhile.call.late"
REUSED: Final = "meanwhile.call.reused_from"
GUARDRAIL: Final = "meanwhile.guardrail"
JOB: Final = "meanwhile.job.kind"
JOB_NUMBER: Final = "meanwhile.job.number"

FIRST_WORDS_EVENT: Final = "first words"
FIRST_FACT_EVENT: Final = "first fact"
SUPPRESSED_EVENT: Final = "sentence suppressed"
