"""What an embedded broker costs: `python embedded.py startup|idle|spin` prints one JSON line (`spin` also serves until its input ends)."""

import json
import resource
import socket
import struct
import sys
import threading
import time
from pathlib import Path


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def ask(address: str) -> None:
    """ApiVersions v0 and Metadata v1 (all topics), answered: the broker serves."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        for api_key, version, body in ((18, 0, b""), (3, 1, struct.pack(">i", -1))):
            request = struct.pack(">hhih", api_key, version, 7, -1) + body
            connection.sendall(struct.pack(">i", len(request)) + request)
            size = struct.unpack(">i", receive(connection, 4))[0]
            receive(connection, size)


def receive(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionError("closed by the broker")
        data += piece
    return data


def startup() -> dict[str, object]:
    start = time.perf_counter()
    import barnabas

    barnabas.Broker  # noqa: B018 (the import is lazy)
    imported = time.perf_counter() - start
    samples = []
    for _ in range(6):
        start = time.perf_counter()
        broker = barnabas.Broker()
        ask(broker.bootstrap_servers)
        samples.append((time.perf_counter() - start) * 1e3)
        broker.close()
    return {"import_ms": imported * 1e3, "first_ms": samples[0], "later_ms": sorted(samples[1:])[2], "all_ms": samples}


def idle() -> dict[str, object]:
    before = resident_bytes()
    import barnabas

    with barnabas.Broker() as broker:
        ask(broker.bootstrap_servers)
        threading.Event().wait(1)
        return {"interpreter_mib": before / 2**20, "with_broker_mib": resident_bytes() / 2**20}


def spin() -> None:
    import barnabas

    stop = False

    def burn() -> None:
        while not stop:
            pass

    with barnabas.Broker() as broker:
        threading.Thread(target=burn, daemon=True).start()
        print(json.dumps({"address": broker.bootstrap_servers}), flush=True)
        sys.stdin.read()
        stop = True


if __name__ == "__main__":
    result = {"startup": startup, "idle": idle, "spin": spin}[sys.argv[1]]()
    if result:
        print(json.dumps(result))
