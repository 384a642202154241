"""Page faults and CPU time of `poll()` to Arrow, run after run in one process: pooled column buffers are written again.

python benches/python/faults.py
"""

import json
import resource
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benches" / "compare"))

COUNT = 1_500_000
RUNS = 8


def main() -> None:
    """Run the program; writes benches/results/faults.json."""
    from workloads import WORKLOADS, consume_arrow

    from barnabas import Admin, Broker, NewTopic

    runs = []
    with Broker() as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("filled", num_partitions=8)])
        WORKLOADS["produce lists/barnabas send_many"](broker.bootstrap_servers, "filled", COUNT)
        for _ in range(RUNS):
            before = resource.getrusage(resource.RUSAGE_SELF)
            measured = consume_arrow(broker.bootstrap_servers, "filled", COUNT)
            after = resource.getrusage(resource.RUSAGE_SELF)
            runs.append(
                {
                    "caller_ns": round(measured["caller_ns"], 1),
                    "process_ns_broker_included": round(measured["process_ns"], 1),
                    "page_faults_per_1000_records": round((after.ru_minflt - before.ru_minflt) / COUNT * 1000, 2),
                }
            )
            print(runs[-1])
    result = {"command": "python benches/python/faults.py", "records": COUNT, "runs": runs}
    (ROOT / "benches" / "results" / "faults.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
