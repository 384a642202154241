"""The cases, one module for an API or a theme.

A case is a function of a `Play` under `@case`. It runs against our broker and the reference; whatever `play.ask` gets is
compared. It may look at answers to go on, and asserts nothing itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Final

from behaviour.play import Play, Topic
from behaviour.wire import Body

if TYPE_CHECKING:
    from collections.abc import Callable

    Case = Callable[[Play], None]

__all__ = ["CASES", "Body", "Play", "Topic", "case", "load", "register"]

CASES: Final[dict[str, Case]] = {}


def case(function: Case) -> Case:
    """Registers a case under the names of its module and itself: `produce-unknown-topic`."""
    register(function.__module__.rpartition(".")[2], function.__name__, function)
    return function


def register(module: str, name: str, function: Case) -> None:
    """Registers a case that is made from a table."""
    full = f"{module}-{name}".replace("_", "-")
    if full in CASES:
        raise ValueError(f"two cases are called {full}")
    CASES[full] = function


def load() -> dict[str, Case]:
    """All cases, by name."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return CASES
