"""Stores the pictures and files of tools' results in an S3-compatible store, and the rest of each entry in the log.

An object is stored before its entry, so each entry's object exists. Objects without an entry (the append
failed) are deleted with their conversation. An object's name has the tenant, the customer and the conversation,
each URL-quoted, and a hash of the content.
"""

import asyncio
import hashlib
import re
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType, ModuleType
from typing import Any, cast
from urllib.parse import quote, unquote

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import Aging
from assistant.errors import DeclarationError, LogError
from assistant.storage_ports import Log, Numbering
from assistant.store.keyring import InstallationSecret
from assistant.store.storage import LoggedConversation, StoredBundle, StoredConversations

log = structlog.get_logger(__name__)

_STORED = "stored:"
"""Replaces the data in the entry, before the object's hash. Base64 contains no colon."""

_PATIENCE_S = 5

_LONGEST_S = 10.0
"""The time limit for one file. After it, the store counts as not available."""

_WORTHWHILE = 4096
"""Data with fewer characters stay in the entry."""

_REMEMBERED = 64 * 1024 * 1024
"""Characters of data that stay in memory, so that a picture that is shown soon after is not fetched."""


_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


class MediaStore:
    """The objects in a bucket. Methods raise ``LogError`` if the store is not available.

    Args:
        address: such as ``s3://bucket/folder``; the usual ``AWS_...`` variables of the environment say the rest.
        environ: has the keys, which may have been read from files; without it, the environment has them.

    Raises:
        DeclarationError: the address is invalid, or the package is not installed.
    """

    def __init__(self, address: str, environ: Mapping[str, str] = MappingProxyType({})) -> None:
        if not address.startswith("s3://") or not address.removeprefix("s3://").strip("/"):
            raise DeclarationError(
                f"ASSISTANT_MEDIA_STORE={address!r} is no address of a bucket; write one such as 's3://bucket/folder'"
            )
        self._objects = _package()
        with _answering("ASSISTANT_MEDIA_STORE"):
            self._store = self._objects.store.from_url(
                address,
                config={name: environ[name] for name in _KEYS if name in environ},
                retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=_PATIENCE_S)},
            )
        self._remembered = OrderedDict[str, str]()
        self._size = 0

    async def put(self, key: ConversationKey, media: Media) -> Media:
        """Store the data; returns media that name the object in place of the data."""
        name = f"{_folder(key)}/{hashlib.sha256(media.data.encode()).hexdigest()}"
        with _answering(media.name or media.mime):
            async with asyncio.timeout(_LONGEST_S):
                await self._objects.put_async(self._store, name, media.content)
        self._remember(name, media.data)
        return replace(media, data=f"{_STORED}{name.rpartition('/')[2]}")

    async def get(self, key: ConversationKey, media: Media) -> Media:
        """The media with their data; without any if the object is gone."""
        name = f"{_folder(key)}/{media.data.removeprefix(_STORED)}"
        if (data := self._remembered.get(name)) is None:
            try:
                with _answering(media.name or media.mime):
                    async with asyncio.timeout(_LONGEST_S):
                        found = await self._objects.get_async(self._store, name)
                        data = b64encode(await found.bytes_async()).decode()
            except FileNotFoundError:
                log.warning("a file of a tool's result is gone", conversation=key.conversation, object=name)
                return replace(media, data="")
        self._remember(name, data)
        return replace(media, data=data)

    async def objects(self, *, before_ms: int) -> Mapping[ConversationKey, list[str]]:
        """The names of our objects that were stored before this time, by conversation; other programs may use
        the bucket, too.
        """
        found = dict[ConversationKey, list[str]]()
        with _answering("the list of files"):
            async for page in self._objects.list(self._store):
                for one in page:
                    key = _key_of(one["path"])
                    if key is not None and one["last_modified"].timestamp() * 1000 < before_ms:
                        found.setdefault(key, []).append(one["path"])
        return found

    async def erase(self, tenant: str, customer: str) -> None:
        """Delete all objects of a customer permanently."""
        folder = f"{_quoted(tenant)}/{_quoted(customer)}"
        with _answering("the files of a customer"):
            names = [one["path"] async for page in self._objects.list(self._store, folder) for one in page]
        await self.delete(names)

    async def delete(self, names: Sequence[str]) -> None:
        """Delete these objects permanently."""
        for name in names:
            self._size -= len(self._remembered.pop(name, ""))
        with _answering("files"):
            if names:
                await self._objects.delete_async(self._store, [*names])

    def _remember(self, name: str, data: str) -> None:
        self._size += len(data) - len(self._remembered.pop(name, ""))
        self._remembered[name] = data
        while self._size > _REMEMBERED:
            self._size -= len(self._remembered.popitem(last=False)[1])


def _package() -> Any:
    try:
        import obstore  # pyright: ignore[reportMissingTypeStubs]
        import obstore.store  # pyright: ignore[reportMissingTypeStubs, reportUnusedImport] - used by its name
    except ModuleNotFoundError as error:
        raise DeclarationError(
            "ASSISTANT_MEDIA_STORE needs the package obstore: pip install 'meanwhile-assistant[s3]'"
        ) from error
    return cast("ModuleType", obstore)


@contextmanager
def _answering(what: str) -> Generator[None]:
    """Raise ``LogError`` for each error of the store, except for an object that does not exist."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:
        # The package has many error classes. The first line of an error describes it, and contains no secret.
        why, _, _ = (str(error) or type(error).__name__).partition("\n")
        raise LogError(f"{what}: the store of files does not answer: {why[:300]}") from error


def _folder(key: ConversationKey) -> str:
    return "/".join(map(_quoted, (key.tenant, key.customer, key.conversation)))


def _key_of(name: str) -> ConversationKey | None:
    """The conversation of an object; None if the name is not one of ours."""
    if re.fullmatch(r"[^/]+/[^/]+/[^/]+/[0-9a-f]{64}", name) is None:
        return None
    tenant, customer, conversation, _ = map(unquote, name.split("/"))
    return ConversationKey(tenant=tenant, customer=customer, conversation=conversation)


def _quoted(part: str) -> str:
    return quote(part, safe="").replace(".", "%2E")  # a part of two dots would be another folder


class MediaLog:
    """A log whose entries' media are in the store. Everything else is in the other log.

    Args:
        entries: the log that stores the entries; closed by its owner.
        store: stores the media.
    """

    def __init__(self, entries: Log, store: MediaStore) -> None:
        self._entries, self._store = entries, store

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Store the media, and then all of the entries or none.

        While the store is not available, media stay in their entries: nothing is lost, and the turn continues.
        """
        moved_out = await asyncio.gather(*(self._moved_out(key, logged) for logged in entries))
        await self._entries.append(key, moved_out)

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order, with their media."""
        return await with_media(self._store, key, await self._entries.read(key, after))

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """The ids of a customer's conversations, oldest first."""
        return await self._entries.conversations(tenant, customer)

    async def unfinished(self) -> list[ConversationKey]:
        """Conversations that wait for the assistant, or for an agent."""
        return await self._entries.unfinished()

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """The visitors who were identified as this customer, in any order."""
        return await self._entries.visitors(tenant, customer)

    async def numbering(self, key: ConversationKey) -> Numbering:
        """Distinguishes this conversation's entries from others that had the same numbers."""
        return await self._entries.numbering(key)

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer, and their media. After a ``LogError`` call it again."""
        # The entries last: a visitor's log names the customer, and leads here again after an error.
        await self._store.erase(tenant, customer)
        erased = await self._entries.erase(tenant, customer)
        await self._store.erase(tenant, customer)  # objects that another server stored meanwhile
        return erased

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        """Erase old conversations, and the media of all that no longer exist."""
        forgotten = await self._entries.forget(before_ms, keep, tenant)
        for key, names in (await self._store.objects(before_ms=before_ms)).items():
            if tenant not in (key.tenant, None):
                continue
            if key.conversation not in await self._entries.conversations(key.tenant, key.customer):
                await self._store.delete(names)
        return forgotten

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        """Remove expired parts from old entries, and the media of removed results."""
        changed = await self._entries.thin_out(what, before_ms, tenant)
        if what == "results":
            for key, names in (await self._store.objects(before_ms=before_ms)).items():
                if tenant in (key.tenant, None):
                    await self._store.delete(names)
        return changed

    async def check_writable(self) -> None:
        """Raises ``LogError`` if the other log cannot store now. Most entries need no media store."""
        await self._entries.check_writable()

    async def close(self) -> None:
        """Close the other log."""
        await self._entries.close()

    async def _moved_out(self, key: ConversationKey, logged: Logged) -> Logged:
        outcome = _outcome_with_media(logged)
        if outcome is None:
            return logged
        try:
            media = [
                one if len(one.data) < _WORTHWHILE else await self._store.put(key, one)
                for one in outcome.media
            ]
        except LogError as error:
            log.warning("a file stays with its conversation", conversation=key.conversation, why=str(error))
            return logged
        return _with(logged, outcome, media)


async def with_media(store: MediaStore, key: ConversationKey, entries: Sequence[Logged]) -> list[Logged]:
    """The entries, with the data of media that are in the store."""

    async def whole(logged: Logged) -> Logged:
        outcome = _outcome_with_media(logged)
        if outcome is None:
            return logged
        media = [await store.get(key, one) if one.data.startswith(_STORED) else one for one in outcome.media]
        return _with(logged, outcome, media)

    return [*await asyncio.gather(*map(whole, entries))]


def _outcome_with_media(logged: Logged) -> CallSucceeded | None:
    outcome = logged.entry.outcome if isinstance(logged.entry, CallEnded) else None
    return outcome if isinstance(outcome, CallSucceeded) and outcome.media else None


def _with(logged: Logged, outcome: CallSucceeded, media: Sequence[Media]) -> Logged:
    ended = replace(cast("CallEnded", logged.entry), outcome=replace(outcome, media=tuple(media)))
    return replace(logged, entry=ended)


class ConversationsWithMedia:
    """Conversations whose entries' media are in the store. Everything else is unchanged.

    Attributes:
        where: where the entries are stored, for messages.
        keeps_documents: whether documents can be stored there.
    """

    def __init__(self, stored: StoredConversations, store: MediaStore) -> None:
        self._stored, self._store = stored, store
        self.where, self.keeps_documents = stored.where, stored.keeps_documents

    async def listed(self) -> list[LoggedConversation]:
        """All conversations; the one with the newest entry comes last."""
        return await self._stored.listed()

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order, with their media."""
        return await with_media(self._store, key, await self._stored.read(key, after))

    async def bundle(self, tenant: str, name: str) -> StoredBundle | None:
        """A tenant's stored bundle; None if it was not stored."""
        return await self._stored.bundle(tenant, name)

    async def keeps_file(self, tenant: str, ref: str) -> bool:
        """Whether the text of a customer's file is stored."""
        return await self._stored.keeps_file(tenant, ref)

    async def erased_at(self, commitment: bytes) -> int | None:
        """When the entries of this receipt were erased, in Unix ms."""
        return await self._stored.erased_at(commitment)

    async def secrets(self) -> InstallationSecret | None:
        """The installation's secrets; None if it has none yet."""
        return await self._stored.secrets()
