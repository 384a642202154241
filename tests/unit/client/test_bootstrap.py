"""`client.dns.lookup`: which addresses a client begins at."""

import socket

import pytest

from barnabas.client.bootstrap import core_options
from barnabas.client.options import ADMIN
from barnabas.errors import ConfigError

CANONICAL = {"client.dns.lookup": "resolve_canonical_bootstrap_servers_only"}
NAMES = {"kafka.example": ["10.0.0.1", "10.0.0.2", "10.0.0.3", "fd00::4"]}
CANONICAL_NAMES = {"10.0.0.1": "one.example", "10.0.0.2": "gone.example", "10.0.0.3": "10.0.0.3", "fd00::4": "fd00::4"}


@pytest.fixture(autouse=True)
def names(monkeypatch):
    """A name service of our own: one name with four addresses, of which two have names and one of these is unknown."""

    def addresses(host, port, **_):
        known = {**NAMES, **{name: [address] for address, name in CANONICAL_NAMES.items() if name != "gone.example"}}
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in known[host]]

    monkeypatch.setattr(socket, "getaddrinfo", addresses)
    monkeypatch.setattr(socket, "getnameinfo", lambda address, _: (CANONICAL_NAMES[address[0]], str(address[1])))


def servers(addresses, **options):
    return core_options(ADMIN.parse({"bootstrap.servers": addresses, **options}, {}))["bootstrap.servers"]


def test_names_are_left_to_the_connection_by_default():
    assert servers(["kafka.example:9092", "nowhere.example:1"]) == ["kafka.example:9092", "nowhere.example:1"]


def test_each_address_is_a_bootstrap_server_by_its_canonical_name(caplog):
    found = servers(["kafka.example:9092", "one.example:9092", "kafka.example:9093"], **CANONICAL)
    every = ["one.example", "10.0.0.3", "[fd00::4]"]
    assert found == [f"{host}:{port}" for port in (9092, 9093) for host in every]
    assert "canonical name gone.example is unknown" in caplog.text


def test_a_host_that_nobody_knows_is_an_error():
    with pytest.raises(ConfigError, match=r"unknown host in bootstrap\.servers: nowhere\.example:1"):
        servers(["nowhere.example:1"], **CANONICAL)


def test_names_that_lead_nowhere_are_an_error(monkeypatch):
    monkeypatch.setattr(socket, "getnameinfo", lambda *_: ("gone.example", "9092"))
    with pytest.raises(ConfigError, match="no canonical name"):
        servers(["kafka.example:9092"], **CANONICAL)
