"""How near a passage must be to a question to be worth showing."""

from collections.abc import Iterable
from typing import Final

from assistant.conversation.documents import Finding

NEAR: Final = 0.28
"""The cosine from which on a passage is shown to a model, which reads for itself whether it answers.

With the embedded embeddings and the demo shop's pages, 29 of 30 questions that these answer find a passage so, and
11 of 30 others find one that is no answer (tests/models/demo/in_documents.txt, not_in_documents.txt).
"""

_BESIDE_THE_BEST: Final = 0.25
"""Passages so much further away than the nearest one only take up room."""


def near(findings: Iterable[Finding]) -> list[Finding]:
    """Those that are near enough, in their order."""
    shown = [finding for finding in findings if finding.score >= NEAR]
    return [finding for finding in shown if finding.score >= shown[0].score - _BESIDE_THE_BEST]
