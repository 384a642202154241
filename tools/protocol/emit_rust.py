"""Writes the Rust facts: APIs, errors, and the table of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema import NONE, VERSION_MAX, Field, Message, Versions, snake

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


KINDS = {
    "bool": "Kind::Bool",
    "int8": "Int8",
    "int16": "Int16",
    "uint16": "Uint16",
    "int32": "Int32",
    "uint32": "Uint32",
    "int64": "Int64",
    "float64": "Float64",
    "uuid": "Uuid",
    "string": "String",
    "bytes": "Bytes",
    "records": "Records",
}


def versions(value: Versions) -> str:
    """Versions as Rust."""
    if value == NONE:
        return "NONE"
    low, high = value
    return f"from({low})" if high == VERSION_MAX else f"v({low}, {high})"


def default(field: Field) -> str:
    """A field's default as Rust."""
    if field.default_is_empty:
        return "Empty"
    if field.default is None:
        return "Null"
    if isinstance(field.default, bool):
        return f"Bool({str(field.default).lower()})"
    if isinstance(field.default, float):
        return f"Float({field.default!r})"
    if isinstance(field.default, str):
        return f'Str("{field.default}")'
    return f"Int({field.default:_})"


def table_field(message: Message, field: Field, ids: dict[tuple[str, str], int]) -> str:
    """A field of the table."""
    kind = KINDS.get(field.type) or f"Kind::Struct(&S{ids[message.name, field.type]})"
    modifiers = ""
    if field.is_array:
        modifiers += ".array()"
    if field.nullable != NONE:
        modifiers += f".nullable({versions(field.nullable)})"
    if field.tagged != NONE:
        modifiers += f".tagged({field.tag}, {versions(field.tagged)})"
    if field.ignorable:
        modifiers += ".ignorable()"
    return f'\n        f("{field.snake}", {kind}, {versions(field.versions)}, {default(field)}){modifiers},'


def table(messages: list[Message], ids: dict[tuple[str, str], int], version: str) -> str:
    """`generated/messages.rs`."""
    out = [
        header(version, "The message table."),
        "use crate::table::{Purpose, Schema};\n\n#[rustfmt::skip]\nmod structs {\n",
        "    use crate::table::Default::{Bool, Empty, Float, Int, Null};\n",
        "    use crate::table::Kind::{self, Int8, Int16, Int32, Int64, Uint16, Uint32, Float64, Uuid};\n",
        "    use crate::table::Kind::{String, Bytes, Records};\n",
        "    use crate::table::{Struct, f, from, v};\n\n",
    ]
    for index, message in enumerate(messages):
        for struct in [message.root, *message.structs]:
            number = ids[message.name, struct.name]
            out.append(
                f"    pub(super) static S{number}: Struct = "
                f'Struct {{ id: {number}, schema: {index}, name: "{struct.name}", fields: &['
            )
            out.extend(table_field(message, field, ids) for field in struct.fields)
            out.append("\n    ] };\n" if struct.fields else "] };\n")
            if len(struct.fields) > 64:
                raise ValueError(f"{struct.name} has more than 64 fields")
    out.append(f"}}\n\n/// How many structs there are.\npub const STRUCT_COUNT: usize = {len(ids)};\n\n")
    out.append(f"#[rustfmt::skip]\npub(crate) static SCHEMAS: [Schema; {len(messages)}] = [\n")
    for message in messages:
        low, high = message.versions
        purpose = "".join(part.capitalize() for part in message.kind.split("-"))
        out.append(
            f'    Schema {{ name: "{message.name}", module: "{message.module}", purpose: Purpose::{purpose}, '
            f"api_key: {option(message.api_key)}, version_min: {low}, version_max: {high}, "
            f"flexible_from: {option(message.flexible_from)}, "
            f"root: &structs::S{ids[message.name, message.root.name]} }},\n"
        )
    out.append("];\n")
    return "".join(out)
