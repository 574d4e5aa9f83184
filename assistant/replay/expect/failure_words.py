"""The words by which somebody admits that something could not be done, or asks for what was missing."""

from collections.abc import Mapping
from typing import Final

from assistant.prompts.language import language
from assistant.prompts.words import WordList
from assistant.text.sentences import sentences
from assistant.text.words import words

_ENGLISH: Final = WordList(
    (
        *(
            "couldn't",
            "could not",
            "can't",
            "can not",
            "cannot",
            "wasn't able",
            "was not able",
            "weren't able",
        ),
        *("were not able", "not been able", "haven't been able", "hasn't been", "isn't able", "am not able"),
        *("i'm not able", "we're not able", "unable", "didn't", "did not", "won't", "will not", "doesn't"),
        *("does not", "isn't available", "is not available", "isn't possible", "is not possible"),
        *("not possible", "not allowed", "not permitted", "unavailable", "unreachable", "out of reach"),
        *("failed", "fails", "failure", "went wrong", "gone wrong", "goes wrong", "problem", "problems"),
        *(
            "trouble",
            "error",
            "errors",
            "issue",
            "issues",
            "difficulty",
            "difficulties",
            "sorry",
            "apologise",
        ),
        *("apologize", "apologies", "apology", "unfortunately", "regret", "afraid", "timed out", "time out"),
        *(
            "too long",
            "in time",
            "no answer",
            "no response",
            "no reply",
            "not responding",
            "isn't responding",
        ),
        *("not answering", "isn't answering", "no luck", "no access", "not working", "isn't working"),
        *("is down", "are down", "offline", "not yet", "try again", "try that again", "later", "not sure"),
        *("not certain", "don't know", "do not know", "don't have", "do not have", "denied", "refused"),
        *(
            "not confirmed",
            "no confirmation",
            "not completed",
            "incomplete",
            "not through",
            "not find",
            "missed",
        ),
    )
)
_GERMAN: Final = WordList(
    (
        *("konnte nicht", "kann nicht", "konnten nicht", "können nicht", "nicht möglich", "nicht erreichbar"),
        *("nicht erreichen", "nicht erreicht", "nicht geklappt", "nicht gelungen", "nicht geschafft"),
        *(
            "nicht verfügbar",
            "nicht abrufen",
            "nicht prüfen",
            "nicht nachsehen",
            "nicht finden",
            "nicht laden",
        ),
        *("nicht rechtzeitig", "nicht funktioniert", "nicht dazu", "nicht sagen", "nicht erledigen"),
        *("nicht ansehen", "nicht durchführen", "nicht antworten", "antwortet nicht", "nicht geantwortet"),
        *("nicht geht", "geht nicht", "ging nicht", "klappt nicht", "darf ich nicht", "darf ich hier nicht"),
        *("leider", "fehler", "fehlgeschlagen", "schiefgegangen", "schief gegangen", "problem", "probleme"),
        *("störung", "entschuldigung", "entschuldigen", "verzeihung", "tut mir leid", "bedaure", "bedauern"),
        *("zu lange", "keine antwort", "keinen zugriff", "keine verbindung", "gestört", "ausgefallen"),
        *("später noch einmal", "später nochmal", "versuchen sie es", "noch einmal versuchen", "unklar"),
        *("nicht sicher", "weiß nicht", "weiß ich nicht", "nicht abgeschlossen", "verweigert", "abgelehnt"),
    )
)
_LISTS: Final[Mapping[str, WordList]] = {"en": _ENGLISH, "de": _GERMAN}


_ASKING: Final = frozenset(
    (
        *("which", "what", "when", "who", "whose", "where", "how", "mean", "meant"),
        *("welche", "welchen", "welcher", "welches", "was", "wann", "wer", "wo", "wie", "meinen", "meinten"),
    )
)
_OFFERING: Final = frozenset(("else", "help", "sonst", "noch", "helfen"))


def admits(text: str, locale: str) -> bool:
    """Whether the text admits a failure; True in a language whose words are not known.

    >>> admits("I couldn't reach billing just now.", "en"), admits("You owe nothing.", "en")
    (True, False)
    >>> admits("Das hat leider nicht geklappt.", "de-AT"), admits("Helaas niet.", "nl")
    (True, True)
    """
    listed = _LISTS.get(language(locale))
    return listed is None or text in listed


def asks_back(text: str, locale: str) -> bool:
    """Whether the customer is asked for what was missing; "what else can I do?" is no such question.

    >>> asks_back("November has no 31st; which day do you mean?", "en"), asks_back("Anything else?", "en")
    (True, False)
    """
    asked = [set(words(one)) for one in sentences(text, locale) if one.rstrip().endswith("?")]
    return any(not said.isdisjoint(_ASKING) and said.isdisjoint(_OFFERING) for said in asked)
