"""A broker's listeners as options tell them, and which changes to them Kafka allows while a broker runs.

Rules, order and words are Kafka's: `SocketServerConfigs.listenerListToEndPoints`, `CoreUtils.listenerListToEndPoints`,
`KafkaConfig.validateValues` and `DynamicListenerConfig.validateReconfiguration`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from barnabas.controller.broker_options import KAFKA_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "LISTENER_OPTIONS",
    "PLAINTEXT",
    "InvalidListeners",
    "ListenerOptions",
    "client_endpoints",
    "refused_listener_change",
]

LISTENERS = "listeners"
PROTOCOLS = "listener.security.protocol.map"
ADVERTISED = "advertised.listeners"
CONTROLLERS = "controller.listener.names"
INTER_BROKER = "inter.broker.listener.name"
LISTENER_OPTIONS = (LISTENERS, PROTOCOLS)
"""What says where a broker listens and may be altered while it runs."""
PLAINTEXT = "PLAINTEXT"

Endpoint = tuple[str, str, int]
"""A listener's name, host (empty for all) and port."""

_ENDPOINT = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)", re.ASCII | re.DOTALL)
_OF_LISTENER = re.compile(r"listener\.name\.([^.]*)\.(.*)", re.DOTALL)
_IPV4 = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}", re.ASCII)
_SECURITY_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_META_ADDRESS = "0.0.0.0"  # noqa: S104 - it is what must not be told to clients
_INT_BITS = 31
_PORT_MAX = 65_535
_LIMITS = ("max.connections", "max.connection.creation.rate", "num.network.threads")
"""Options that may change for a single listener while it is open, as its keys and certificates may."""


class InvalidListeners(ValueError):  # noqa: N818 - it names what is wrong, and becomes an error code above
    """Options that do not say where to listen; the text says why, in Kafka's words."""


class ListenerOptions(NamedTuple):
    """The options that say where a broker listens; None is not set.

    Attributes:
        listeners: `listeners`, or its default.
        protocols: `listener.security.protocol.map`.
        advertised: `advertised.listeners`.
        controllers: `controller.listener.names`.
        inter_broker: `inter.broker.listener.name`.
        others: Options of single listeners, by their whole names.
    """

    listeners: str
    protocols: str | None
    advertised: str | None
    controllers: tuple[str, ...]
    inter_broker: str | None
    others: Mapping[str, str]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> ListenerOptions:
        """Returns what a broker's options in force say."""
        controllers = _items(CONTROLLERS, texts.get(CONTROLLERS))
        return cls(
            listeners=texts.get(LISTENERS) or KAFKA_OPTIONS[LISTENERS].default or "",
            protocols=texts.get(PROTOCOLS),
            advertised=texts.get(ADVERTISED),
            controllers=tuple(controllers),
            inter_broker=texts.get(INTER_BROKER),
            others={name: value for name, value in texts.items() if _OF_LISTENER.fullmatch(name)},
        )

    def protocol_map(self) -> dict[str, str]:
        """Returns the security protocol of each listener, by its name in upper case.

        Raises:
            InvalidListeners: The option has another form, or names a protocol that there is not.
        """
        text = self.protocols if self.protocols is not None else KAFKA_OPTIONS[PROTOCOLS].default or ""
        found = {}
        for item in re.split(r"\s*,\s*", text.strip()) if text.strip() else []:
            name, colon, protocol = item.rpartition(":")
            if not colon:
                raise InvalidListeners(
                    f"Error parsing configuration property '{PROTOCOLS}': begin 0, end -1, length {len(item)}"
                )
            protocol = protocol.strip()
            if protocol.upper() not in _SECURITY_PROTOCOLS:
                raise InvalidListeners(f"Invalid security protocol `{protocol}` defined in {PROTOCOLS}")
            found[name.strip().upper()] = protocol.upper()
        if self.protocols is None:
            # The map's default knows no listener of controllers, which Kafka takes for plaintext.
            for name in self.controllers:
                found.setdefault(name.upper(), PLAINTEXT)
        return found

    def endpoints(self) -> list[Endpoint]:
        """Returns all listeners.

        Raises:
            InvalidListeners: They cannot be read, have no protocol, or are in each other's way.
        """
        return _endpoints(self.listeners, LISTENERS, self.protocol_map(), has_own_ports=True)

    def advertised_endpoints(self) -> list[Endpoint]:
        """Returns what clients are told: without a word about it the listeners; never those of controllers.

        Raises:
            InvalidListeners: As for `endpoints`.
        """
        if self.advertised is None:
            found = self.endpoints()
        else:
            found = _endpoints(self.advertised, ADVERTISED, self.protocol_map(), has_own_ports=False)
        return [endpoint for endpoint in found if not self.is_of_controllers(endpoint[0])]

    def is_of_controllers(self, name: str) -> bool:
        """Whether a listener is one of `controller.listener.names`."""
        return name in {controller.upper() for controller in self.controllers}


def _items(option: str, text: str | None) -> list[str]:
    value = None if text is None else KAFKA_OPTIONS[option].parse(text)
    return value if isinstance(value, list) else []


def _endpoints(text: str, option: str, protocols: Mapping[str, str], *, has_own_ports: bool) -> list[Endpoint]:
    items = _items(option, text)
    told = f"[{', '.join(items)}]"
    begin = f"Error creating broker listeners from '{told}'"
    try:
        endpoints = [_endpoint(item, protocols) for item in items]
    except InvalidListeners as error:
        raise InvalidListeners(f"{begin}: {error}") from None
    if len({name for name, _, _ in endpoints}) < len(endpoints):
        raise InvalidListeners(f"{begin}: Each listener must have a different name, listeners: {told}")
    if has_own_ports:
        for port in dict.fromkeys(port for _, _, port in endpoints if port):
            why = _refused_hosts([host for _, host, other in endpoints if other == port], told, port)
            if why is not None:
                raise InvalidListeners(f"{begin}: {why}")
    return endpoints


def _endpoint(item: str, protocols: Mapping[str, str]) -> Endpoint:
    match = _ENDPOINT.fullmatch(item)
    if match is None:
        raise InvalidListeners(f"Unable to parse {item} to a broker endpoint")
    name, host, port = match[1].upper(), match[2], match[3]
    if name not in protocols:
        raise InvalidListeners(f"No security protocol defined for listener {name}")
    if not -(1 << _INT_BITS) <= int(port) < 1 << _INT_BITS:
        raise InvalidListeners(f'For input string: "{port}"')
    return name, host, int(port)


def _refused_hosts(hosts: list[str], told: str, port: int) -> str | None:
    """Returns why listeners cannot share a port; an address of each version of the Internet protocol can."""
    versions = [version for host in hosts if (version := _ip_version(host)) is not None]
    without = len(hosts) - len(versions)
    different = f"Each listener must have a different port, listeners: {told}"
    unless = (
        "Each listener must have a different port unless exactly one listener has an IPv4 address and the other IPv6 "
        f"address, listeners: {told}, port: {port}"
    )
    one_of_each = (
        "If you have two listeners on the same port then one needs to be IPv4 and the other IPv6, "
        f"listeners: {told}, port: {port}"
    )
    if without > 1:
        return different
    if not versions:
        return None
    if len(versions) == 2:
        return one_of_each if without or versions[0] == versions[1] else None
    return unless if len(hosts) > 1 else None


def _ip_version(host: str) -> int | None:
    if _IPV4.fullmatch(host):
        return 4
    return 6 if ":" in host else None


# What may change while a broker runs.


def refused_listener_change(current: Mapping[str, str], after: Mapping[str, str]) -> str | None:
    """Returns why a broker's listeners cannot change so while it runs, in Kafka's words; None if they can.

    Args:
        current: All options in force, by name.
        after: The same after the change.
    """
    changed = {name for name in current.keys() | after.keys() if current.get(name) != after.get(name)}
    if changed.isdisjoint((*LISTENER_OPTIONS, *_LIMITS)):
        return None
    old, new = ListenerOptions.of(current), ListenerOptions.of(after)
    try:
        old.endpoints()
        old.advertised_endpoints()
    except InvalidListeners:
        # A start is less strict than Kafka's: of one that Kafka would have refused nothing has to be kept.
        old = new
    if changed.isdisjoint(LISTENER_OPTIONS):
        return None if old is new else _refused_reconfiguration(old, new)
    try:
        return _refused_values(old, new) or _refused_reconfiguration(old, new) or _refused_protocol(new)
    except InvalidListeners as error:
        return str(error)


def _refused_values(old: ListenerOptions, new: ListenerOptions) -> str | None:
    """As a start with these options would be refused (`KafkaConfig.validateValues`)."""
    names, advertised = _names(new.endpoints()), new.advertised_endpoints()
    controllers = {name.upper() for name in new.controllers}
    # A start may do without listeners for controllers here; then there is nothing that it could lose.
    if controllers <= set(_names(old.endpoints())) and not controllers <= set(names):
        what = "contain at least one value" if controllers.isdisjoint(names) else "only contain values"
        return (
            f"requirement failed: {CONTROLLERS} must {what} appearing in the '{LISTENERS}' configuration when running "
            "the KRaft controller role"
        )
    return _refused_advertised(old, _names(advertised), names) or _refused_hosts_to_tell(old, advertised)


def _refused_advertised(old: ListenerOptions, advertised: list[str], names: list[str]) -> str | None:
    if not advertised:
        return (
            "requirement failed: There must be at least one broker advertised listener. "
            f"Perhaps all listeners appear in {CONTROLLERS}?"
        )
    inter_broker = (old.inter_broker or PLAINTEXT).upper()
    if inter_broker not in advertised and inter_broker in _names(old.advertised_endpoints()):
        return (
            f"requirement failed: {INTER_BROKER} must be a listener name defined in {ADVERTISED}. The valid options "
            f"based on currently configured listeners are {','.join(advertised)}"
        )
    if not set(advertised) <= set(names):
        return (
            f"requirement failed: {ADVERTISED} listener names must be equal to or a subset of the ones defined in "
            f"{LISTENERS}. Found {','.join(advertised)}. The valid options based on the current configuration are "
            f"{','.join(names)}"
        )
    return None


def _refused_hosts_to_tell(old: ListenerOptions, advertised: list[Endpoint]) -> str | None:
    before = [name for name, host, _ in old.advertised_endpoints() if host == _META_ADDRESS]
    if any(host == _META_ADDRESS and name not in before for name, host, _ in advertised):
        return (
            f"requirement failed: {ADVERTISED} cannot use the nonroutable meta-address {_META_ADDRESS}. Use a routable "
            "IP address."
        )
    return None


def _refused_reconfiguration(old: ListenerOptions, new: ListenerOptions) -> str | None:
    """As `DynamicListenerConfig.validateReconfiguration`."""
    before, after = _names(old.endpoints()), _names(new.endpoints())
    told = _names(old.advertised_endpoints())
    why = None
    if not set(told) <= set(after):
        why = f"Advertised listeners '{_set(told)}' must be a subset of listeners '{_set(after)}'"
    protocols = old.protocol_map(), new.protocol_map()
    for name in after if why is None else []:
        if name not in before:
            continue
        if _fixed(old, name) != _fixed(new, name):
            why = (
                f"Configs cannot be updated dynamically for existing listener ListenerName({name}), restart broker or "
                "create a new listener for update"
            )
            break
        if protocols[0].get(name) != protocols[1].get(name):
            why = f"Security protocol cannot be updated for existing listener ListenerName({name})"
            break
    if why is None:
        return None
    # Kafka's text: the exception that says why is the "value" of one that says that something is wrong.
    exception = f"org.apache.kafka.common.config.ConfigException: {why}"
    return f"Invalid value {exception} for configuration Invalid dynamic configuration"


def _refused_protocol(options: ListenerOptions) -> str | None:
    protocols = options.protocol_map()
    for name, _, _ in options.endpoints():
        if not options.is_of_controllers(name) and protocols[name] != PLAINTEXT:
            return f"{LISTENERS}: listener {name} is not supported: only {PLAINTEXT} is"
    return None


def _names(endpoints: Iterable[Endpoint]) -> list[str]:
    return [name for name, _, _ in endpoints]


def _set(names: Iterable[str]) -> str:
    return f"Set({', '.join(f'ListenerName({name})' for name in names)})"


def _fixed(options: ListenerOptions, listener: str) -> dict[str, str]:
    """Returns the options of one listener that it has for as long as it is open."""
    found = {}
    for name, value in options.others.items():
        match = _OF_LISTENER.fullmatch(name)
        if match is not None and match[1] == listener.lower():
            base = match[2]
            if base not in _LIMITS and not (base.startswith("ssl.") and base in KAFKA_OPTIONS):
                found[base] = value
    return found


# What is to be open.


def client_endpoints(options: ListenerOptions) -> tuple[list[Endpoint], list[str]]:
    """Returns where to listen for clients, and why it is not everywhere that the options say.

    What cannot be read leaves nothing to listen on; the metadata log of another broker may have that.
    """
    try:
        protocols, endpoints = options.protocol_map(), options.endpoints()
    except InvalidListeners as error:
        return [], [str(error)]
    found, wrong = [], []
    for name, host, port in endpoints:
        if options.is_of_controllers(name):
            continue
        if protocols[name] != PLAINTEXT:
            wrong.append(f"listener {name} is not opened: only {PLAINTEXT} is supported")
        elif not 0 <= port <= _PORT_MAX:
            wrong.append(f"listener {name} is not opened: there is no port {port}")
        else:
            found.append((name, host, port))
    return found, wrong
