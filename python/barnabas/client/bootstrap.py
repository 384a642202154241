"""Where a client begins: the addresses that its core is given."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING, Any

from barnabas.errors import ConfigError

if TYPE_CHECKING:
    from barnabas.config import Options

__all__ = ["core_options"]

_log = logging.getLogger("barnabas.client")


def core_options(options: Options) -> dict[str, Any]:
    """The options as the core takes them. `client.dns.lookup` may have the bootstrap servers' names looked up here.

    Raises:
        ConfigError: A bootstrap server's host is unknown, or no canonical name of one leads anywhere.
    """
    plain = options.plain()
    if options["client.dns.lookup"] == "resolve_canonical_bootstrap_servers_only":
        plain["bootstrap.servers"] = _canonical(options["bootstrap.servers"])
    return plain


def _canonical(servers: tuple[str, ...]) -> list[str]:
    """Each address of each host under its canonical name, as Java's `ClientUtils` has them."""
    found: dict[str, None] = {}
    for server in servers:
        host, _, port = server.rpartition("://")[2].rpartition(":")
        try:
            addresses = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
        except OSError as error:
            raise ConfigError(f"unknown host in bootstrap.servers: {server} ({error})") from error
        for *_, address in addresses:
            # Without a name the address itself comes back.
            name = socket.getnameinfo(address, socket.NI_NUMERICSERV)[0]
            try:
                socket.getaddrinfo(name, int(port), type=socket.SOCK_STREAM)
            except OSError as error:
                _log.warning(
                    "left out %s of bootstrap.servers: its canonical name %s is unknown (%s)", server, name, error
                )
            else:
                found[f"[{name}]:{port}" if ":" in name else f"{name}:{port}"] = None
    if not found:
        raise ConfigError(f"no canonical name of bootstrap.servers={','.join(servers)} can be resolved")
    return list(found)
