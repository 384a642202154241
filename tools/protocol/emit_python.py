"""Writes the Python facts: message classes, the index of APIs, and the error classes."""

from __future__ import annotations

import keyword
from collections import defaultdict
from typing import TYPE_CHECKING

from schema import INTEGERS, NONE, Field, Message, Struct, snake

if TYPE_CHECKING:
    from errors_table import ErrorFact

TYPES = {
    "bool": "bool",
    "float64": "float",
    "uuid": "bytes",
    "string": "str",
    "bytes": "bytes",
    "records": "bytes",
} | dict.fromkeys(INTEGERS, "int")

PURPOSE = {
    "request": "Request",
    "response": "Response",
    "metadata": "Record of the metadata log",
    "coordinator-key": "Key of a coordinator's record",
    "coordinator-value": "Value of a coordinator's record",
    "data": "Data",
}


def banner(version: str) -> str:
    """The first lines of a generated file."""
    return f"# Written by tools/protocol/generate.py from the schemas of Apache Kafka {version}. Do not edit.\n"


def versions(message: Message) -> str:
    """Versions in words."""
    low, high = message.versions
    return f"version {low}" if low == high else f"versions {low} to {high}"


class StructWriter:
    """Writes the class of one struct."""

    def __init__(self, message: Message, struct: Struct, ids: dict[tuple[str, str], int]) -> None:
        self.message = message
        self.struct = struct
        self.ids = ids

    def annotation(self, field: Field) -> str:
        """The type of the attribute."""
        name = TYPES.get(field.type) or f"{self.message.name}.{field.type}"
        if field.is_array:
            name = f"list[{name}]"
        may_be_null = field.nullable != NONE or (field.default is None and not field.default_is_empty)
        return f"{name} | None" if may_be_null else name

    def parameter(self, field: Field) -> str:
        """The default of the parameter; UNSET where a new object is made each time."""
        if not field.default_is_empty:
            return repr(field.default)
        if field.is_array or field.struct is not None:
            return "UNSET"
        return {"string": '""', "bytes": 'b""', "uuid": "ZERO_UUID"}[field.type]

    def assignment(self, field: Field) -> str:
        """The line of `__init__` that sets the attribute."""
        name = field.snake
        if self.parameter(field) != "UNSET":
            return f"self.{name} = {name}"
        empty = "[]" if field.is_array else f"{self.message.name}.{field.type}()"
        return f"self.{name}: {self.annotation(field)} = {empty} if {name} is UNSET else {name}"

    def lines(self) -> list[str]:
        """The body of the class."""
        fields = self.struct.fields
        for field in fields:
            if keyword.iskeyword(field.snake):
                raise ValueError(f"{field.snake} is a keyword")
        names = "".join(f'"{field.snake}", ' for field in fields)
        out = [f"__slots__ = ({names})", f"STRUCT: ClassVar[int] = {self.ids[self.message.name, self.struct.name]}", ""]
        if fields:
            parameters = ", ".join(f"{f.snake}: {self.annotation(f)} = {self.parameter(f)}" for f in fields)
            out.append(f"def __init__(self, *, {parameters}) -> None:")
        else:
            out.append("def __init__(self) -> None:")
        out.extend("    " + self.assignment(field) for field in fields)
        out.append("    self.unknown_tagged_fields = None")
        return out


def message_class(message: Message, ids: dict[tuple[str, str], int]) -> list[str]:
    """The lines of one message's class."""
    flexible = None if message.flexible_from < 0 else message.flexible_from
    key = None if message.api_key < 0 else message.api_key
    about = PURPOSE[message.kind] + ("" if key is None else f", key {key}") + f", {versions(message)}"
    if message.kind in {"request", "response"}:
        about = about.replace(",", f" of {message.name.removesuffix('Request').removesuffix('Response')},", 1)
    low, high = message.versions
    lines = [
        f"class {message.name}(Message):",
        f'    """{about}."""',
        "",
        f"    API_KEY: ClassVar[int | None] = {key}" if key is None else f"    API_KEY: ClassVar[int] = {key}",
        f"    VERSIONS: ClassVar[tuple[int, int]] = ({low}, {high})",
        f"    FLEXIBLE_FROM: ClassVar[int | None] = {flexible}",
    ]
    lines += ["    " + line if line else "" for line in StructWriter(message, message.root, ids).lines()]
    for struct in message.structs:
        lines += ["", f"    class {struct.name}(Struct):", f'        """Part of {message.name}."""', ""]
        lines += ["        " + line if line else "" for line in StructWriter(message, struct, ids).lines()]
    return lines


def modules(messages: list[Message], ids: dict[tuple[str, str], int], version: str) -> dict[str, str]:
    """Every module of `barnabas.protocol.messages` and its text."""
    by_module: dict[str, list[Message]] = defaultdict(list)
    for message in messages:
        by_module[message.module].append(message)
    out = {"__init__": banner(version) + '"""One module per API or record; none is loaded before it is asked for."""\n'}
    for module, members in by_module.items():
        body = "\n\n\n".join("\n".join(message_class(message, ids)) for message in members)
        names = ", ".join(name for name in ("UNSET", "ZERO_UUID") if name in body)
        names += ", " if names else ""
        struct = "Struct" if "(Struct)" in body else ""
        imported = ", ".join(part for part in (*names.rstrip(", ").split(", "), "Message", struct) if part)
        about = " and ".join(message.name for message in members)
        if members[0].kind in {"request", "response"}:
            about = f"{members[0].name.removesuffix('Request').removesuffix('Response')}, key {members[0].api_key}"
        out[module] = (
            f'{banner(version)}"""{about}."""\n\nfrom __future__ import annotations\n\nfrom typing import ClassVar\n\n'
            f"from barnabas.protocol.struct import {imported}\n\n\n{body}\n"
        )
    return out


def apis(messages: list[Message], version: str) -> str:
    """`apis.py`: what stands where."""
    requests = sorted((m for m in messages if m.kind == "request"), key=lambda m: m.api_key)
    out = [
        banner(version),
        '"""API keys, valid versions, and where the classes are."""\n\nfrom __future__ import annotations\n\n',
        "from typing import Final\n\n",
    ]
    names = {request.api_key: snake(request.name.removesuffix("Request")).upper() for request in requests}
    out.extend(f"{name}: Final = {key}\n" for key, name in names.items())
    out.append(
        "\n# key: (name, module, oldest version, newest stable version, whether a broker serves it to clients)\n"
    )
    out.append("APIS: Final[dict[int, tuple[str, str, int, int, bool]]] = {\n")
    for request in requests:
        name = request.name.removesuffix("Request")
        low, high = request.versions
        out.append(
            f'    {request.api_key}: ("{name}", "{request.module}", {low}, {high}, {"broker" in request.listeners}),\n'
        )
    out.append(
        "}\n\n# type of a metadata record: (module, class)\nMETADATA_RECORDS: Final[dict[int, tuple[str, str]]] = {\n"
    )
    records = sorted((m for m in messages if m.kind == "metadata"), key=lambda m: m.api_key)
    out.extend(f'    {record.api_key}: ("{record.module}", "{record.name}"),\n' for record in records)
    out.append("}\n\n# log: {type of a record: (key's module, key's class, value's module or None, value's class)}\n")
    out.append("COORDINATOR_RECORDS: Final[dict[str, dict[int, tuple[str, str, str | None, str]]]] = {\n")
    for log in ("group", "transaction", "share"):
        members = [m for m in messages if m.log == log]
        values = {m.api_key: m for m in members if m.kind == "coordinator-value"}
        out.append(f'    "{log}": {{\n')
        for key in sorted((m for m in members if m.kind == "coordinator-key"), key=lambda m: m.api_key):
            value = values.get(key.api_key)
            found = f'"{value.module}", "{value.name}"' if value else 'None, ""'
            out.append(f'        {key.api_key}: ("{key.module}", "{key.name}", {found}),\n')
        out.append("    },\n")
    out.append("}\n")
    return "".join(out)


def errors(facts: list[ErrorFact], version: str) -> str:
    """`error_codes.py`: a class per protocol error."""
    out = [
        banner(version),
        '"""A class per protocol error."""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n\n',
        "from barnabas.error_base import KafkaError\n\n\n",
    ]
    for fact in facts:
        if fact.code == 0:
            continue
        out.append(f'class {fact.python_class}(KafkaError):\n    """{fact.text[0].upper() + fact.text[1:]}."""\n\n')
        out.append(f'    code = {fact.code}\n    name = "{fact.name}"\n    text = "{fact.text}"\n')
        flags = ("retriable", "fatal", "abortable", "refreshes_metadata")
        out.extend(f"    {flag} = True\n" for flag in flags if getattr(fact, flag))
        out.append("\n\n")
    out.append("__all__ = [\n")
    out.extend(f'    "{name}",\n' for name in sorted(fact.python_class for fact in facts if fact.code))
    out.append("]\n\nBY_CODE: Final[dict[int, type[KafkaError]]] = {\n")
    out.extend(f"    {fact.code}: {fact.python_class},\n" for fact in facts if fact.code)
    out.append("}\n")
    return "".join(out)
