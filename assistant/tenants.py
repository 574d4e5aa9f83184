"""Reads the settings of the installation and of its tenants: several companies, with a folder for each.

A tenant's folder looks like the project of one company: ``tools``, ``prompts``, ``policies``, ``knowledge``,
and a file ``.env`` whose settings replace the installation's. Without a folder of tenants there is one
company.
"""

from collections.abc import Sequence
from typing import cast

from pydantic import SecretStr

from assistant.errors import DeclarationError
from assistant.secret_files import SUFFIX, secret_values
from assistant.settings import FILE, PREFIX, Settings, TenantSettings, tenant_name
from assistant.settings_sources import (
    checked_settings,
    load_installation,
    refuse_unknown,
    settings_from_files,
    written_settings,
)

_OF_INSTALLATION = frozenset({
    "data_dir", "database", "lease_s", "run_jobs", "media_store", "tenants_dir", "tenant", "document_store",
    "qdrant_api_key", "embedding_model", "now", "whisper_dir", "transcription_workers", "temporal",
    "trusted_proxies",
})  # fmt: skip
"""What all tenants share."""

_OF_FOLDER = {
    "tools_dir": "tools",
    "prompts_dir": "prompts",
    "policies_dir": "policies",
    "knowledge_dir": "knowledge",
}
"""A tenant's folders, which have these names."""

_OF_TENANT = frozenset({
    "allowed_origins", "site_secret", "operator_token", "handoff_webhook_url", "handoff_webhook_secret",
    "phone_url", "phone_auth_token", "phone_transfer_number", "webhook_urls", "webhook_secret",
    "oidc_issuer", "oidc_client_id", "oidc_client_secret", "oidc_domains", "oidc_roles",
})  # fmt: skip
"""What two tenants must not share: who has one of these speaks for the company."""

_OWN_ALONE = (
    "hosts",
    "site_secret",
    "operator_token",
    "handoff_webhook_secret",
    "webhook_secret",
    "phone_auth_token",
)


def load_settings() -> Settings:
    """Read the settings of the one company, or of the tenant that ``ASSISTANT_TENANT`` names.

    Raises ``DeclarationError``, which names each wrong setting, its value, and the allowed values.
    """
    installation = load_installation()
    names = tenant_names(installation)
    if not names:
        return installation
    chosen = installation.tenant if "tenant" in installation.model_fields_set else names[0]
    if chosen not in names or (len(names) > 1 and "tenant" not in installation.model_fields_set):
        raise DeclarationError(
            f"there are several tenants in {installation.tenants_dir}: {', '.join(names)}; say which one is meant:"
            f" `assistant --tenant {names[0]} ...`, or ASSISTANT_TENANT={names[0]}"
        )
    tenants = load_tenants(installation)  # all, because two may share what they must not
    return next(one for one in tenants if one.tenant == chosen)


def load_tenants(installation: Settings) -> list[TenantSettings]:
    """Returns the settings of each tenant, by name; empty if the installation has only one company.

    Raises ``DeclarationError`` for each mistake: also if two tenants share a value that must be unique.
    """
    found, problems = list[TenantSettings](), list[str]()
    for name in tenant_names(installation):
        try:
            found.append(tenant_settings(installation, name))
        except DeclarationError as error:
            problems.append(str(error))
    if found:
        problems += _shared(found)
        problems += [
            f"{PREFIX}{name.upper()} is one company's own; there are several tenants, so set it in"
            f" {found[0].folder / FILE} and its like"
            for name in sorted(_OF_TENANT)
            if getattr(installation, name)
        ]
    if problems:
        raise DeclarationError("\n".join(problems))
    return found


def tenant_names(installation: Settings) -> list[str]:
    """Returns the names of the tenants' folders, sorted.

    Raises ``DeclarationError`` for a folder whose name a tenant cannot have.
    """
    folder = installation.tenants_dir
    if not folder.is_dir():
        if "tenants_dir" in installation.model_fields_set:
            raise DeclarationError(f"ASSISTANT_TENANTS_DIR={str(folder)!r}: there is no such folder")
        return []
    names = sorted(each.name for each in folder.iterdir() if each.is_dir() and each.name[0] not in "._")
    for name in names:
        try:
            tenant_name(name)
        except ValueError as error:
            raise DeclarationError(f"{folder / name}: {error}") from error
    return names


def tenant_settings(installation: Settings, name: str) -> TenantSettings:
    """Returns the settings of one tenant. Raises ``DeclarationError``."""
    folder = installation.tenants_dir / name
    file = folder / FILE
    where, written = f"{file}: ", written_settings(file)
    refuse_unknown(written, where)
    own = {
        key.upper().removeprefix(PREFIX).lower(): value
        for key, value in written.items()
        if value and key.upper().startswith(PREFIX) and not key.upper().endswith(SUFFIX)
    }
    own |= settings_from_files(written, where)
    for key in own:
        if key in _OF_INSTALLATION:
            raise DeclarationError(
                f"{where}{PREFIX}{key.upper()} is for the whole installation, not for one tenant; set it in the"
                f" environment or in {FILE} where the assistant is started"
            )
        if key in _OF_FOLDER:
            raise DeclarationError(
                f"{where}{PREFIX}{key.upper()} is not needed: a tenant's folder is {folder / _OF_FOLDER[key]}"
            )
    # Without folders of its own it has the installation's tools and prompts, but never another's documents.
    folders = {
        key: folder / sub
        for key, sub in _OF_FOLDER.items()
        if key == "knowledge_dir" or (folder / sub).is_dir()
    }
    known = {key: getattr(installation, key) for key in Settings.model_fields if key not in _OF_TENANT}
    return checked_settings(
        TenantSettings,
        where,
        {**known, "hosts": [f"{name}.localhost"], **folders, **own, "tenant": name, "folder": folder},
    )


def _shared(tenants: Sequence[TenantSettings]) -> list[str]:
    """Returns what two tenants have in common and must not."""
    problems: list[str] = []
    for name in _OWN_ALONE:
        owners: dict[object, str] = {}
        for tenant in tenants:
            for value in _values(getattr(tenant, name)):
                other = owners.setdefault(value, tenant.tenant)
                if other != tenant.tenant:
                    shown = f"={value}" if name == "hosts" else ""  # the others are secrets
                    problems.append(
                        f"{PREFIX}{name.upper()}{shown} is set by the tenants {other} and {tenant.tenant}; each"
                        " needs its own"
                    )
    return problems


def _values(given: object) -> Sequence[object]:
    if given is None:
        return ()
    if isinstance(given, SecretStr):
        return secret_values(given)
    return cast("list[object]", given) if isinstance(given, list) else (given,)
