"""What all message classes share. A class holds its fields in slots and knows its number in the message table."""

from __future__ import annotations

from typing import Any, ClassVar, Final

# The default of parameters that stand for a new list or struct.
UNSET: Final[Any] = object()
ZERO_UUID: Final = bytes(16)


class Struct:
    """A struct of a message: slots, equality and a readable form.

    Attributes:
        unknown_tagged_fields: Tagged fields that the table does not know, by tag; None if there are none.
    """

    __slots__ = ("unknown_tagged_fields",)
    STRUCT: ClassVar[int]

    unknown_tagged_fields: dict[int, bytes] | None

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = (*type(self).__slots__, "unknown_tagged_fields")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]  # fields may be changed

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__slots__)
        return f"{type(self).__name__}({fields})"


class Message(Struct):
    """A request, a response, or a record of an internal log.

    Attributes:
        API_KEY: The API's key or the record's type, if it has one.
        VERSIONS: The oldest and the newest valid version.
        FLEXIBLE_FROM: The first version with compact lengths and tagged fields, if any.
    """

    __slots__ = ()
    API_KEY: ClassVar[int | None]
    VERSIONS: ClassVar[tuple[int, int]]
    FLEXIBLE_FROM: ClassVar[int | None]
