"""A broker in a process of its own whose interpreter can be made to stand still: one command a line, one JSON line each.

`stall SECONDS` sleeps in C without giving the interpreter's lock away, as a C extension that computes would; `metrics` says
what the broker has counted.
"""

import ctypes
import json
import sys

from barnabas import Broker

MICROSECONDS = 1_000_000


def main(options: str) -> None:
    # Unlike CDLL, PyDLL calls with the lock held.
    usleep = ctypes.PyDLL(None).usleep
    with Broker(config=json.loads(options)) as broker:
        print(json.dumps({"address": broker.bootstrap_servers}), flush=True)
        for line in sys.stdin:
            command, *arguments = line.split()
            if command == "stall":
                usleep(int(float(arguments[0]) * MICROSECONDS))
                print(json.dumps({}), flush=True)
            elif command == "metrics":
                print(json.dumps(dict(broker.metrics())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
