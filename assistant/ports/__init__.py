"""The walls of the house: what the rooms ask of the world, as Protocols. Nothing here does anything."""

from assistant.ports.documents import DocumentStore, Embedder, WriteQueue
from assistant.ports.log import Log
from assistant.ports.model import Counter, Model, ModelOptions, ModelRequest
from assistant.ports.people import (
    AskedForPerson,
    CredentialStore,
    Desk,
    DeskAnswer,
    Identity,
    NobodyThere,
    Queued,
)
from assistant.ports.speech import SpeechToText, TextToSpeech, VoiceActivity, VoiceStream
from assistant.ports.time import Clock, Ids

__all__ = [
    "AskedForPerson",
    "Clock",
    "Counter",
    "CredentialStore",
    "Desk",
    "DeskAnswer",
    "DocumentStore",
    "Embedder",
    "Identity",
    "Ids",
    "Log",
    "Model",
    "ModelOptions",
    "ModelRequest",
    "NobodyThere",
    "Queued",
    "SpeechToText",
    "TextToSpeech",
    "VoiceActivity",
    "VoiceStream",
    "WriteQueue",
]
