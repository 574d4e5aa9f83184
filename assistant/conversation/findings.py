"""Where in its document a passage that was found stands."""

from assistant.conversation.documents import Finding


def place_in(finding: Finding) -> str:
    """Its place, without saying the document's title again; "" for nothing to say.

    >>> from assistant.conversation.documents import Passage
    >>> passage = Passage(number=0, start=0, end=1, text="x", place="Returns, How long you have")
    >>> place_in(Finding(ref="r", kind="knowledge", title="Returns", passage=passage, score=0.5))
    'How long you have'
    """
    place = finding.passage.place
    return "" if place == finding.title else place.removeprefix(f"{finding.title}, ")
