"""Client quotas, stored and described: (image, request) -> (records, response)."""

from __future__ import annotations

import ipaddress
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.controller.refusal import Refused
from barnabas.errors import InvalidRequestError, UnsupportedVersionError
from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasResponse
from barnabas.protocol.messages.client_quota_record import ClientQuotaRecord
from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.controller.image import Image, QuotaEntity
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
    from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasRequest

__all__ = ["alter_client_quotas", "describe_client_quotas"]

USER, CLIENT_ID, IP = "user", "client-id", "ip"
_ORDER = {CLIENT_ID: 1, USER: 2, IP: 3}
_WHOLE_OF_CLIENTS = ("producer_byte_rate", "consumer_byte_rate")
_DECIMAL_OF_CLIENTS = ("request_percentage", "controller_mutation_rate")
_WHOLE_OF_ADDRESSES = ("connection_creation_rate",)
_LONG_MAX = float(2**63)
_INT_MAX = float(2**31)


def alter_client_quotas(
    image: Image, message: AlterClientQuotasRequest, settings: ControllerSettings
) -> tuple[list[Any], AlterClientQuotasResponse]:
    """Decides about quotas. Every entity of the request is answered for itself."""
    del settings
    shape = AlterClientQuotasResponse
    records: list[Any] = []
    entries = []
    named = [{part.entity_type: part.entity_name for part in entry.entity} for entry in message.entries]
    for entry, parts in zip(message.entries, named, strict=True):
        result = shape.EntryData(
            error_message=None,
            entity=[shape.EntityData(entity_type=kind, entity_name=name) for kind, name in _in_order(parts)],
        )
        entries.append(result)
        try:
            records += _records(image, parts, entry.ops)
        except Refused as refused:
            result.error_code, result.error_message = refused.code, refused.message
    return [] if message.validate_only else records, shape(entries=entries)


def _in_order(parts: Mapping[str, str | None]) -> list[tuple[str, str | None]]:
    """Returns the parts of an entity as Kafka orders them."""
    return sorted(parts.items(), key=lambda part: (_ORDER.get(part[0], 0), part[0]))


def _records(image: Image, parts: dict[str, str | None], ops: list[Any]) -> list[Any]:
    keys = [op.key for op in ops]
    if len(keys) != len(set(keys)):
        entity = ", ".join(f"{kind}={'null' if name is None else name}" for kind, name in _in_order(parts))
        _refuse(f"Ignoring duplicate entity ClientQuotaEntity(entries={{{entity}}})")
    allowed = _allowed_keys(parts)
    current = image.quotas.get(tuple(sorted(parts.items())), {})
    records = []
    for op in ops:
        if op.remove:
            if op.key in current:
                records.append(_record(parts, op.key, 0.0, remove=True))
            continue
        _check_value(allowed, op.key, op.value)
        if current.get(op.key) != op.value:
            records.append(_record(parts, op.key, op.value, remove=False))
    return records


def _record(parts: Mapping[str, str | None], key: str, value: float, *, remove: bool) -> ClientQuotaRecord:
    shape = ClientQuotaRecord.EntityData
    return ClientQuotaRecord(
        entity=[shape(entity_type=kind, entity_name=name) for kind, name in parts.items()],
        key=key,
        value=value,
        remove=remove,
    )


def _refuse(why: str) -> None:
    raise Refused(InvalidRequestError.code, why)


def _allowed_keys(parts: Mapping[str, str | None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns (whole, decimal) keys that an entity can have a quota for."""
    if not parts:
        _refuse("Invalid empty client quota entity")
    for kind, name in parts.items():
        if kind not in (USER, CLIENT_ID, IP):
            _refuse(f"Unhandled client quota entity type: {kind}")
        if name == "":
            _refuse(f"Empty {kind} not supported")
    if IP not in parts:
        return _WHOLE_OF_CLIENTS, _DECIMAL_OF_CLIENTS
    if len(parts) > 1:
        _refuse("Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId")
    address = parts[IP]
    if address is not None and not _is_address(address):
        _refuse(f"{address} is not a valid IP or resolvable host.")
    return _WHOLE_OF_ADDRESSES, ()


def _is_address(text: str) -> bool:
    # Kafka resolves names here. Who decides must not wait for a name server, so addresses are to be given as such.
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return text == "localhost"
    return True


def _check_value(allowed: tuple[tuple[str, ...], tuple[str, ...]], key: str, value: float) -> None:
    whole, decimal = allowed
    if key not in whole and key not in decimal:
        _refuse(f"Invalid configuration key {key}")
    if key in whole:
        limit, name = (_INT_MAX, "an INT") if key in _WHOLE_OF_ADDRESSES else (_LONG_MAX, "a LONG")
        if value >= limit:
            _refuse(f"Proposed value for {key} is too large for {name}.")
        if not math.isfinite(value) or value != math.floor(value):
            _refuse(f"{key} cannot be a fractional value.")
    if not value > 0:
        _refuse(f"Quota {key} must be greater than 0")


# DescribeClientQuotas


class _Filter(NamedTuple):
    exact: dict[str, str | None]
    kinds: set[str]


def describe_client_quotas(
    image: Image, message: DescribeClientQuotasRequest, settings: ControllerSettings
) -> tuple[list[Any], DescribeClientQuotasResponse]:
    """Names the quotas of the entities that match."""
    del settings
    try:
        wanted = _filter(message.components)
    except Refused as refused:
        return [], DescribeClientQuotasResponse(error_code=refused.code, error_message=refused.message, entries=None)
    shape = DescribeClientQuotasResponse
    entries = [
        shape.EntryData(
            entity=[shape.EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
            values=[shape.ValueData(key=key, value=value) for key, value in values.items()],
        )
        for entity, values in image.quotas.items()
        if _matches(entity, wanted, strict=message.strict)
    ]
    return [], shape(error_message="", entries=entries)


def _filter(components: list[Any]) -> _Filter:
    wanted = _Filter({}, set())
    for component in components:
        kind = component.entity_type
        if not kind:
            _refuse("Invalid empty entity type.")
        if kind in wanted.exact or kind in wanted.kinds:
            _refuse(f"Entity type {kind} cannot appear more than once in the filter.")
        if kind not in (USER, CLIENT_ID, IP):
            raise Refused(UnsupportedVersionError.code, f"Unsupported entity type {kind}")
        _add(component, wanted)
    named = wanted.exact.keys() | wanted.kinds
    if IP in named and len(named) > 1:
        _refuse(
            "Invalid entity filter component combination. IP filter component should not be used with user or "
            "clientId filter component."
        )
    return wanted


_MATCHES = {0: "EXACT", 1: "DEFAULT", 2: "SPECIFIED"}


def _add(component: Any, wanted: _Filter) -> None:
    match = _MATCHES.get(component.match_type)
    if match is None:
        _refuse(f"Unknown match type {component.match_type}")
    if match == "EXACT" and component.match is None:
        _refuse("Request specified MATCH_TYPE_EXACT, but set match string to null.")
    if match != "EXACT" and component.match is not None:
        _refuse(f"Request specified MATCH_TYPE_{match}, but also specified a match string.")
    if match == "SPECIFIED":
        wanted.kinds.add(component.entity_type)
    else:
        wanted.exact[component.entity_type] = component.match


def _matches(entity: QuotaEntity, wanted: _Filter, *, strict: bool) -> bool:
    parts = dict(entity)
    if strict and len(parts) != len(wanted.exact) + len(wanted.kinds):
        return False
    return all(kind in parts and parts[kind] == name for kind, name in wanted.exact.items()) and all(
        kind in parts for kind in wanted.kinds
    )
