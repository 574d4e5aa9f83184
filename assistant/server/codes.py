"""The codes by which a client tells why it was refused."""

from typing import Literal, TypeAlias

UserRefusal: TypeAlias = Literal["user_unavailable", "user_refused", "user_expired", "user_replayed"]
ErrorCode: TypeAlias = (
    Literal["bad_frame", "hello_expected", "token_invalid", "not_supported", "not_heard"] | UserRefusal
)
RejectedCode: TypeAlias = Literal[
    "empty", "too_long", "busy", "rate_limited", "confirmation_closed", "unknown_message", "unknown_file"
]
