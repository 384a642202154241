"""Option schemaResolver: a function of the user's that knows the schemas which Avro values name by their ids.

Options are text, so the function is named by its module, as `orders.registry:schema_of`. It runs where records are
decoded, in the executors' worker processes, and is asked for each id once per process.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Final

from barnabas.errors import ConfigError

__all__ = ["Resolver", "resolver"]

Resolver = Callable[[int], str | None]
"""Gives the text of the schema with an id of the registry; None if the registry has none."""

_SCHEMAS_KEPT: Final = 10_000
"""Most schemas that a process remembers of one resolver."""
_EXAMPLE: Final = "my_package.registry:schema_of"
_resolvers: dict[str, Resolver] = {}
_lock: Final = threading.Lock()


def resolver(name: str) -> Resolver:
    """The function that option schemaResolver names, with a memory for what it told.

    Args:
        name: The module and the function in it, with a colon between them.

    Raises:
        ConfigError: There is no such module or function here.
    """
    with _lock:
        if name not in _resolvers:
            _resolvers[name] = _remembering(name, _function(name))
        return _resolvers[name]


def _function(name: str) -> Resolver:
    module_name, _, path = name.partition(":")
    if not module_name or not path:
        raise ConfigError(f"option schemaResolver names a function, as {_EXAMPLE}; got {name!r}")
    try:
        found = importlib.import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"option schemaResolver names {name}: {error}; the module must be where the driver and the executors "
            "import from, for example by spark.sparkContext.addPyFile"
        ) from error
    if not callable(found):
        raise ConfigError(f"option schemaResolver names {name}, which cannot be called")
    return found


def _remembering(name: str, function: Resolver) -> Resolver:
    known: dict[int, str] = {}

    def resolve(schema_id: int) -> str | None:
        if (text := known.get(schema_id)) is not None:
            return text
        # An id that is unknown now may be registered later.
        try:
            text = function(schema_id)
        except Exception as error:
            error.add_note(f"raised by {name} of option schemaResolver, asked for schema {schema_id}")
            raise
        if text is not None:
            if len(known) >= _SCHEMAS_KEPT:
                known.pop(next(iter(known)))
            known[schema_id] = text
        return text

    return resolve
