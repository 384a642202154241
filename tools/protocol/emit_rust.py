"""Writes the Rust facts: APIs, errors, and the table of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema import INTEGERS, NONE, VERSION_MAX, Field, Message, Struct, Versions, snake

if TYPE_CHECKING:
    from errors_table import ErrorFact

BANNER = "// Written by tools/protocol/generate.py from the schemas of Apache Kafka {version}. Do not edit.\n"


def header(version: str, doc: str) -> str:
    """The first lines of a generated file."""
    return BANNER.format(version=version) + f"//! {doc}\n\n"


def option(value: int) -> str:
    """An Option of a version; -1 is None."""
    return "None" if value < 0 else f"Some({value})"


def apis(messages: list[Message], version: str) -> str:
    """`generated/apis.rs`."""
    requests = sorted((m for m in messages if m.kind == "request"), key=lambda m: m.api_key)
    responses = {m.api_key: m for m in messages if m.kind == "response"}
    out = [header(version, "API keys and what the table says about them."), "use crate::api::Api;\n\n"]
    for request in requests:
        name = request.name.removesuffix("Request")
        out.append(f"/// {name}.\npub const {snake(name).upper()}: i16 = {request.api_key};\n")
    out.append(f"\npub(crate) const APIS: [Api; {len(requests)}] = [\n")
    for request in requests:
        low, high = request.versions
        name = request.name.removesuffix("Request")
        response = responses[request.api_key]
        out.append(
            f'    Api {{ key: {request.api_key}, name: "{name}", version_min: {low}, version_max: {high}, '
            f"request_flexible_from: {option(request.flexible_from)}, "
            f"response_flexible_from: {option(response.flexible_from)}, "
            f"on_broker: {str('broker' in request.listeners).lower()} }},\n"
        )
    out.append("];\n")
    return "".join(out)


def errors(facts: list[ErrorFact], version: str) -> str:
    """`generated/errors.rs`."""
    out = [header(version, "The error table."), "use crate::errors::{ErrorCode, ErrorRow};\n\nimpl ErrorCode {\n"]
    out.extend(
        f"    /// {fact.text[0].upper() + fact.text[1:]}.\n    pub const {fact.name}: Self = Self({fact.code});\n"
        for fact in facts
    )
    out.append(f"}}\n\npub(crate) const ROWS: [ErrorRow; {len(facts)}] = [\n")
    out.extend(
        f'    ErrorRow {{ code: {fact.code}, name: "{fact.name}", retriable: {str(fact.retriable).lower()}, '
        f'refreshes_metadata: {str(fact.refreshes_metadata).lower()}, message: "{fact.text}" }},\n'
        for fact in facts
    )
    out.append("];\n")
    return "".join(out)
