"""litellm's errors become our errors, by their attributes."""

from datetime import UTC, datetime

from assistant.errors import ModelBroke, ModelBusy, ModelError, ModelRefused, ModelTimeout
from assistant.models.litellm_library import model_error
from tests.support.rows import check_rows

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Response:
    """An answer, of which the headers count."""

    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers


class Raised(Exception):
    """An error as litellm's are shaped."""

    def __init__(
        self,
        message: str = "no",
        status_code: object = None,
        headers: dict[str, str] | None = None,
        original_exception: Exception | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status_code
        self.response = Response(headers or {})
        self.original_exception = original_exception


class Timeout(Raised):
    """Named as litellm's own."""


@check_rows(
    ("raised", "kind"),
    [
        (Raised(status_code=400), ModelRefused),
        (Raised(status_code=401), ModelRefused),
        (Raised(status_code="404"), ModelRefused),
        (Raised(status_code=408), ModelBroke),
        (Raised(status_code=429), ModelBusy),
        (Raised("You exceeded: insufficient_quota", 429), ModelRefused),
        (Raised(status_code=500), ModelBroke),
        (Raised(status_code=503), ModelBusy),
        (Raised(status_code=529), ModelBusy),
        (Raised(status_code="what"), ModelBroke),
        (Timeout(status_code=408), ModelTimeout),
        (Raised(status_code=503, original_exception=Raised(status_code=401)), ModelRefused),
        (ValueError("a bug"), ModelBroke),
        (Raised("OpenAIException - Missing credentials. Please pass an `api_key`", 500), ModelRefused),
    ],
)
def test_each_error_becomes_one_of_ours(raised: Exception, kind: type[ModelError]) -> None:
    assert type(model_error(raised, NOW)) is kind


def test_the_pause_is_read_from_the_answer() -> None:
    error = model_error(Raised(status_code=429, headers={"retry-after": "7"}), NOW)

    assert isinstance(error, ModelBusy)
    assert error.retry_after_s == 7.0


def test_without_a_named_pause_there_is_none() -> None:
    error = model_error(Raised(status_code=429), NOW)

    assert isinstance(error, ModelBusy)
    assert error.retry_after_s is None


def test_the_text_is_one_short_line_without_keys_and_class_names() -> None:
    raised = Raised(
        "litellm.AuthenticationError: GroqException -\n wrong key gsk_abcdefgh12345 " + "x" * 500, 401
    )

    told = str(model_error(raised, NOW))

    assert told.startswith("GroqException - wrong key [key] xxx")
    assert len(told) == 300


def test_an_error_without_text_is_named() -> None:
    assert str(model_error(KeyError(), NOW)) == "KeyError"


def test_keys_in_any_form_are_not_in_errors() -> None:
    raised = Raised("Wrong key 0123456789abcdef, or none", 401)

    assert str(model_error(raised, NOW, {"0123456789abcdef"})) == "Wrong key [key], or none"


def test_internal_objects_are_not_in_errors() -> None:
    raised = Raised("Cannot connect to host x:443 ssl:<ssl.SSLContext object at 0x7fd> [Name not known]", 500)

    assert str(model_error(raised, NOW)) == "Cannot connect to host x:443 [Name not known]"
