"""A second opinion on messages: kio, a codec of other authors, beside ours."""

import dataclasses
import datetime as dt
import importlib
import uuid


def kio_class(message, version):
    name = type(message).__name__
    kind = "request" if name.endswith("Request") else "response"
    module = type(message).__module__.rpartition(".")[2]
    return getattr(importlib.import_module(f"kio.schema.{module}.v{version}.{kind}"), name)


def assert_same(theirs, ours, path):
    """Compares by kio's fields: those that its version has."""
    if dataclasses.is_dataclass(theirs):
        for field in dataclasses.fields(theirs):
            name = field.name if hasattr(ours, field.name) else field.name + "_ms"
            assert_same(getattr(theirs, field.name), getattr(ours, name), f"{path}.{name}")
    elif isinstance(theirs, tuple):
        assert len(theirs) == len(ours), path
        for index, (left, right) in enumerate(zip(theirs, ours, strict=True)):
            assert_same(left, right, f"{path}[{index}]")
    elif isinstance(theirs, dt.timedelta):
        assert theirs == dt.timedelta(milliseconds=ours), path
    elif isinstance(theirs, dt.datetime):
        assert theirs == dt.datetime.fromtimestamp(ours / 1000, dt.UTC), path
    elif isinstance(theirs, uuid.UUID):
        assert theirs.bytes == ours, path
    elif theirs is None:
        # kio's word for no time and no id.
        assert ours in (None, -1, bytes(16)), path
    else:
        assert theirs == ours, path
