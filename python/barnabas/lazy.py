"""Names of a package that live in other modules and are loaded when they are asked for: importing it costs little."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["lazy_names"]


def lazy_names(
    package: dict[str, Any], homes: Mapping[str, str], missing: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a package.

    Type checkers must not see them: a package with a `__getattr__` has every name for them.

    Args:
        package: The package's `globals()`; they keep what was loaded.
        homes: Its modules by their names in it, each with the names that are to be had, separated by spaces. A module's
            own name stands for the module.
        missing: What to say of names that are not there, though some may expect them.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home:
            if missing and name in missing:
                raise AttributeError(f"{package['__name__']}.{name} {missing[name]}")
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        module = import_module(f"{package['__name__']}.{home[name]}")
        package[name] = value = module if name == home[name] else getattr(module, name)
        return value

    return load, lambda: sorted({*package, *home})
