"""Reads what a client sent, and says precisely what does not fit."""

from pydantic import ValidationError

from assistant.server.client_frames import CLIENT_FRAMES, AnyClientFrame

_PROBLEMS = 3
_VALUE_CHARS = 60


class BadFrame(Exception):
    """A frame that cannot be followed; ``str()`` is for the client's developer."""


def parse(raw: str | bytes) -> AnyClientFrame:
    """Read one frame. Raises ``BadFrame``."""
    if isinstance(raw, bytes):
        raise BadFrame(
            f"binary frame of {len(raw)} bytes: this server takes JSON text frames only, before audio.ready"
        )
    try:
        return CLIENT_FRAMES.validate_json(raw)
    except ValidationError as error:
        raise BadFrame(complaint(error)) from error


def complaint(error: ValidationError) -> str:
    """Where, which value, and what would have worked; the first few problems."""
    problems = error.errors(include_url=False)
    lines = [
        f"{'.'.join(map(str, problem['loc'])) or 'frame'} = {_short(problem['input'])}: {problem['msg']}"
        for problem in problems[:_PROBLEMS]
    ]
    if len(problems) > _PROBLEMS:
        lines.append(f"and {len(problems) - _PROBLEMS} more")
    return "; ".join(lines)


def _short(value: object) -> str:
    # Cut before it is written out: the value may be as large as a frame.
    text = repr(value[:_VALUE_CHARS] if isinstance(value, str) else value)
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}..."
