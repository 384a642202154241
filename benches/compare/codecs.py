"""The codecs in Kafka's framing beside the C libraries, through their Python packages, on the same input in the same run.

`python benches/compare/codecs.py` with the extension of a release build installed, and lz4, zstandard, pyarrow. A figure is the
thread's CPU time of a whole call, result object included, median of interleaved rounds; raw figures go to results/codecs-python.json.
No input comes twice in a row, so that a processor cannot learn the branches of a small one by heart. Rivals: zlib (the interpreter's), liblz4 (lz4.frame with Kafka's blocks of 64 KiB), libzstd (zstandard), snappy C++ (pyarrow).
"""

import argparse
import json
import os
import platform
import random
import statistics
import time
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import lz4.frame
import pyarrow as pa
import zstandard

from barnabas.columns.codecs import compress, crc32c, decompress

RESULTS = Path(__file__).parents[1] / "results" / "codecs-python.json"
SIZES = {"16 KiB": 16 << 10, "256 KiB": 256 << 10, "1 MiB": 1 << 20}
LEVELS = {"gzip": [1, 6, 9], "snappy": [None], "lz4": [9, 12], "zstd": [1, 3]}
Call = Callable[[int], object]
"""Handles the input with this index."""
INPUT_BYTES = 1 << 20
"""Different inputs of one size take at least this much together."""


def inputs(size: int) -> list[bytes]:
    """Different inputs of one size."""
    rows = random.Random(42)  # noqa: S311 - seeded rows
    return [records(size, rows) for _ in range(max(INPUT_BYTES // size, 2))]


def records(size: int, rows: random.Random) -> bytes:
    """Uncompressed records of format 2: values of about 100 bytes that look like JSON rows."""
    data = bytearray()
    index = 0
    while len(data) < size:
        value = json.dumps(
            {
                "origin": rows.choice(["EWR", "JFK", "LGA"]),
                "dest": f"{rows.randrange(105):03}",
                "dep_delay": rows.randrange(1500),
                "tailnum": f"N{rows.randrange(4043):05}",
                "flight": rows.randrange(6000),
            },
            separators=(",", ":"),
        ).encode()
        data += bytes([0xE0, 1, 0, index % 64 * 2, index % 128, 1, len(value) * 2 & 0x7F | 0x80, 1]) + value + b"\0"
        index += 1
    return bytes(data[:size])


def packers(codec: str, level: int | None) -> tuple[Callable[[bytes], bytes], Callable[[bytes, int], bytes]]:
    """The rival's compressor, and its decompressor, which is told the size."""
    if codec == "gzip":
        return lambda data: zlib.compress(data, level, 31), lambda packed, size: zlib.decompress(packed, 31, size)
    if codec == "lz4":
        options = {
            "block_size": lz4.frame.BLOCKSIZE_MAX64KB,
            "block_linked": False,
            "store_size": False,
            "compression_level": 0 if level == 9 else level,
        }
        return lambda data: lz4.frame.compress(data, **options), lambda packed, _: lz4.frame.decompress(packed)
    if codec == "zstd":
        packer, unpacker = zstandard.ZstdCompressor(level=level), zstandard.ZstdDecompressor()
        return packer.compress, lambda packed, _: unpacker.decompress(packed)
    cpp = pa.Codec("snappy")
    return (
        lambda data: cpp.compress(data, asbytes=True),
        lambda packed, size: cpp.decompress(packed, size, asbytes=True),
    )


def rivals(codec: str, level: int | None, datas: list[bytes]) -> tuple[Call, Call, Call, Call]:
    """Ours and theirs: compress, compress, decompress, decompress."""
    pack, unpack = packers(codec, level)
    ours = [compress(codec, data, level) for data in datas]
    # The same bytes for both decoders where the framing is the same; each its own framing for snappy.
    theirs = [pack(data) for data in datas] if codec == "snappy" else ours
    for data, our, their in zip(datas, ours, theirs, strict=True):
        assert unpack(their, len(data)) == data == decompress(codec, our)
    return (
        lambda index: compress(codec, datas[index], level),
        lambda index: pack(datas[index]),
        lambda index: decompress(codec, ours[index]),
        lambda index: unpack(theirs[index], len(datas[index])),
    )


def race(first: Call, second: Call, size: int, count: int, rounds: int) -> tuple[float, float, list[float]]:
    """Median nanoseconds of both over `count` inputs of a size, and the ratio second / first of each round."""
    repeats = max(count, (1 << 21) // size)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, found in zip((first, second), times, strict=True):
            start = time.thread_time_ns()
            for index in range(repeats):
                call(index % count)
            found.append((time.thread_time_ns() - start) / repeats)
    ratios = [theirs / ours for ours, theirs in zip(*times, strict=True)]
    return statistics.median(times[0]), statistics.median(times[1]), ratios


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    figures = []
    for name, size in SIZES.items():
        datas = inputs(size)
        for codec, levels in LEVELS.items():
            for level in levels:
                calls = rivals(codec, level, datas)
                sizes = [len(compress(codec, datas[0], level)), len(packers(codec, level)[0](datas[0]))]
                for way, first, second in (("compress", *calls[:2]), ("decompress", *calls[2:])):
                    ours_ns, theirs_ns, ratios = race(first, second, size, len(datas), arguments.rounds)
                    figures.append(
                        {
                            "codec": codec,
                            "level": level,
                            "input": name,
                            "way": way,
                            "ours_gb_per_s": round(size / ours_ns, 3),
                            "theirs_gb_per_s": round(size / theirs_ns, 3),
                            "ours_over_theirs": round(statistics.median(ratios), 3),
                            "quartiles": [round(ratio, 3) for ratio in statistics.quantiles(ratios, n=4)],
                            "compressed_percent": [round(100 * packed / size, 1) for packed in sizes],
                        }
                    )
                    row = figures[-1]
                    print(
                        f"{name:8} {codec:6} {level!s:4} {way:10} {row['ours_gb_per_s']:7.3f} GB/s, x{row['ours_over_theirs']}"
                    )
    data = os.urandom(16 << 10)
    empty, whole, _ = race(lambda _: crc32c(b""), lambda _: crc32c(data), 1 << 14, 1, arguments.rounds)
    checksum = {
        "bytes": len(data),
        "gb_per_s": round(len(data) / (whole - empty), 2),
        "gb_per_s_with_the_call": round(len(data) / whole, 2),
    }
    print("crc32c", checksum)
    result = {
        "command": "python benches/compare/codecs.py",
        "machine": {
            "cpu": cpu(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "load_average": os.getloadavg(),
        },
        "rivals": {
            "zlib": zlib.ZLIB_RUNTIME_VERSION,
            "liblz4": lz4.library_version_string(),
            "libzstd": ".".join(map(str, zstandard.ZSTD_VERSION)),
            "snappy C++": f"of pyarrow {version('pyarrow')}",
        },
        "crc32c": checksum,
        "figures": figures,
    }
    arguments.output.write_text(json.dumps(result, indent=1) + "\n")


def cpu() -> str:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    main()
