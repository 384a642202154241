"""Documents to be read by two readers: fields that fit and fields that do not, in any order, twice, damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aiokafka.record.default_records import _DefaultRecordBatchBuilderPy

if TYPE_CHECKING:
    from random import Random

JSON_SCHEMA = (
    "s string, l bigint, i int, h smallint, t tinyint, d double, f float, b boolean, n decimal(10,2), w decimal(38,18), "
    "day date, at timestamp, local timestamp_ntz, span interval day to second, raw binary, "
    "o struct<s:string,l:bigint,o:struct<d:double,b:boolean>>, a array<bigint>, ao array<struct<l:bigint,s:string>>, "
    "aa array<array<int>>, m map<string,double>, mo map<string,struct<l:bigint,s:string>>, _corrupt_record string"
)
CSV_SCHEMA = (
    "s string, l bigint, i int, h smallint, t tinyint, d double, f float, b boolean, n decimal(10,2), day date, "
    "at timestamp, local timestamp_ntz, raw binary, z string, _corrupt_record string"
)
CSV_COLUMNS = 14

# What each type is given beside made-up values. Not among them is what the documentation says to differ.
TEXTS = ['"a"', '""', '"\\u00e9\\ud83d\\ude00"', '"\\ud83d"', '"\\udc00x"', '"a\\"b\\\\c\\/d\\b\\f\\n\\r\\t"', '"é漢😀"', "'q\"'",
         "1", "true", "null", "[1, 2]", '{"k": [1, "x"]}', '"\\u0000"', '" "', "-0.5", '"\\u2028"']  # fmt: skip
WHOLE = ["0", "-0", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32769", "2147483647", "2147483648",
         "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1.0", "1e2",
         '"1"', "true", "null", "[]", "{}", '""', "12345678901234567890123", "NaN"]  # fmt: skip
NUMBERS = ["0.1", "-0.0", "1e-7", "1e400", "-1e400", "4.9e-324", "1.7976931348623157e308", "9007199254740993", "NaN",
           "-INF", "+INF", "-Infinity", "Infinity", "+Infinity", '"NaN"', '"Infinity"', '"-INF"', '"+INF"', '"INF"',
           '"1.5"', '""', "true", "null", "3.4028236e38", "16777217", "1e40", "0.30000000000000004", "[1]"]  # fmt: skip
DECIMALS = ["1.005", "-1.005", "0.005", "0.0049999", "99999999.99", "99999999.994", "99999999.995", "100000000", "1e3", "1e-400",
            '"1,234.5"', '".5"', '"5."', '"+5"', '"1e2"', '" 1"', '"x"', '""', "true", "null", "NaN", "5e-19", "-0.001"]  # fmt: skip
DATES = ['"2013-01-31"', '"2013-1-3"', '"2013-02-30"', '"2013-01-31T05:00:00Z"', '"2013-01-31 x"', '"2013"', '"2013-01"', '"x"', "1",
         '"+2013-01-01"', '"-2013-01-01"', '"0000-01-01"', '"15706"', '"201"', '"-1"', '"20130101"', '"2013-01-01GMT"', '""', "null",
         '"5881580-07-11"', '"5881580-07-12"', '" 2013-01-01\\n"', '"2013-13-01"', '"2012-02-29"', '"1900-02-29"']  # fmt: skip
TIMES = ['"2013-01-01T05:00:00Z"', '"2013-01-01 05:00:00"', '"2013-01-01T05:00:00.123456789+02:30"', '"2013-01-01"', '"2013"',
         '"2013-01-01T05"', '"2013-01-01T05:06"', '"2013-01-01T5:6:7"', '"2013-01-01T05:00:00."', '"2013-01-01T05:00:00 GMT+1"',
         '"2013-01-01T05:00:00UTC+01:02:03"', '"2013-01-01T05:00:00+1:2"', '"2013-01-01T05:00:00+0102"', '"2013-01-01T05:00:00-18:00"',
         '"2013-01-01T05:00:00+18:01"', '"2013-01-01T05:00:00EST"', '"2013-01-01T05:00Z"', '"2013-01-01T24:00:00"', '"2013-13-01T00:00"',
         '"x"', '""', "1357016400", "-1", "0", "1.5", "null", '"1357016400"', '"-290308-12-21T19:59:05.224192Z"',
         '"+294247-01-10T04:00:54.775807Z"', '"+294247-01-10T04:00:54.775808Z"', '"2013-01-01GMT"', '"2013-01-01T05:00:00z"']  # fmt: skip
SPANS = ['"1 02:03:04.5"', '"-1 2:3:4"', "\"INTERVAL '1 02:03:04' DAY TO SECOND\"", "\"INTERVAL -'1 02:03:04' DAY TO SECOND\"",
         '"1 24:00:00"', '"1"', '"P1D"', "5", "null", '"106751991 04:00:54.775807"', '"106751991 04:00:54.775808"']  # fmt: skip
BYTES = ['"AQID"', '"AQ=="', '"AQI="', '""', '"AQ==AQID"', '" AQID AQ== "', '"AQ_-"', "1", "null", '"AQ\\u0049D"']
DEEP = [f"{'[' * depth}{']' * depth}" for depth in (997, 998, 999, 1000, 1001)]
LONG = ["1" * 1000, "1" * 1001, f"1.{'5' * 999}", f"1.{'5' * 1000}", f"1e{'0' * 998}1"]
BROKEN = ["tru", "nulll", "INF", "+1", ".5", "1.", "01", "--1", "1e", "0x1", "'a", '"a', '"\\x"', '"\\u12g4"', '"\t"', "", "{", "[", "]", "}",
          ",", ":", "undefined", "True", '"a"b', "1 2", "/**/1"]  # fmt: skip


FITTING = {
    "s": [
        '"a"',
        '""',
        '"\\u00e9\\ud83d\\ude00"',
        '"a\\"b\\\\c\\/d\\n"',
        '"é漢😀"',
        "null",
        "1.50",
        "true",
        "[1, 2]",
        '{"k": [1, "x"]}',
    ],
    "b": ["true", "false", "null"],
    "n": ["1.005", "-1.005", "99999999.99", "1e3", '"1,234.5"', '".5"', "null", "0.0049999"],
    "w": ["1.000000000000000001", "-12345678901234567890.5", "5e-19", "1e-400", "null"],
    "day": ['"2013-01-31"', '"2013-1-3"', '"2013"', '"2013-01-31T05:00:00Z"', '"15706"', '"2012-02-29"', "null"],
    "at": [
        '"2013-01-01T05:00:00Z"',
        '"2013-01-01 05:00:00.123456"',
        '"2013-01-01T05:00:00+02:30"',
        "1357016400",
        "null",
    ],
    "local": ['"2013-01-01T05:00:00"', '"2013-01-01 05:00:00.5"', '"2013-01-01"', "null"],
    "span": ['"1 02:03:04.5"', '"-1 2:3:4"', "\"INTERVAL '1 02:03:04' DAY TO SECOND\"", "null"],
    "raw": ['"AQID"', '"AQ=="', '""', "null"],
}
BITS = {"l": 63, "i": 31, "h": 15, "t": 7}


def fitting_value(random: Random, name: str) -> str:  # noqa: PLR0911 (one for each type)
    """A value that fits the field of this name."""
    if name in BITS:
        return str(random.randint(-(2 ** BITS[name]), 2 ** BITS[name] - 1))
    if name in ("d", "f"):
        return _number(random)
    pair = [("l", fitting_value(random, "l")), ("s", fitting_value(random, "s"))] if name in ("ao", "mo", "o") else []
    several = range(random.randint(0, 3))
    match name:
        case "o":
            return _object(random, [*pair, ("o", _object(random, [("d", _number(random)), ("b", "true")]))])
        case "a":
            return _list(random, [fitting_value(random, "l") for _ in several])
        case "aa":
            return _list(random, [_list(random, [fitting_value(random, "i") for _ in several]), "null"])
        case "ao":
            return _list(random, [_object(random, pair) for _ in several])
        case "m":
            return _object(random, [(random.choice("kléx"), _number(random)) for _ in several])
        case "mo":
            return _object(random, [(random.choice("kléx"), _object(random, pair)) for _ in several])
        case _:
            return random.choice(FITTING.get(name, ["1", "null", '"x"', "[{}]"]))


def json_value(random: Random, name: str) -> str:  # noqa: C901, PLR0911 (one for each type)
    """A value for the field of this name, one in eight for another."""
    # Text that is no base64 makes from_json lose its place, as the documentation says.
    if name != "raw" and random.random() < 1 / 8:
        # Whole seconds that leave the range of timestamps differ, as the documentation says.
        name = random.choice("sbam" if name == "at" else "slidbnoam")
    match name:
        case "s" | "z":
            return (
                random.choice(TEXTS)
                if random.random() < 0.6
                else json.dumps(_text(random), ensure_ascii=random.random() < 0.5)
            )
        case "l" | "i" | "h" | "t":
            return (
                random.choice(WHOLE)
                if random.random() < 0.5
                else str(random.randint(-(2 ** random.randint(1, 64)), 2**40))
            )
        case "d" | "f":
            return random.choice(NUMBERS) if random.random() < 0.4 else _number(random)
        case "b":
            return random.choice(["true", "false", "null", '"true"', "1", '""'])
        case "n" | "w":
            return random.choice(DECIMALS) if random.random() < 0.6 else _number(random)
        case "day":
            return random.choice(DATES)
        case "at" | "local":
            return random.choice(TIMES)
        case "span":
            return random.choice(SPANS)
        case "raw":
            return random.choice(BYTES)
        case _:
            return _nested(random, name)


def _nested(random: Random, name: str) -> str:  # noqa: PLR0911 (one for each type)
    if random.random() < 0.1:
        return random.choice(["null", "[]", "{}", '""', "1", '"x"', "[null]", '{"k": null}'])
    several = range(random.randint(0, 3))
    match name:
        case "o":
            inner = _object(random, [("d", json_value(random, "d")), ("b", json_value(random, "b"))])
            return _object(random, [("s", json_value(random, "s")), ("l", json_value(random, "l")), ("o", inner)])
        case "a":
            return _list(random, [json_value(random, "l") for _ in several])
        case "aa":
            return _list(random, [_list(random, [json_value(random, "i") for _ in several]) for _ in several])
        case "ao":
            return _list(random, [_nested(random, "pair") for _ in several])
        case "m":
            return _object(random, [(random.choice("kléx"), json_value(random, "d")) for _ in several])
        case "mo":
            return _object(random, [(random.choice("kléx"), _nested(random, "pair")) for _ in several])
        case _:
            return _object(random, [("l", json_value(random, "l")), ("s", json_value(random, "s"))])


def _text(random: Random) -> str:
    points = [
        random.choice([random.randint(0, 0x7F), random.randint(0, 0xFFFF), random.randint(0, 0x10FFFF)])
        for _ in range(random.randint(0, 30))
    ]
    return "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000)


def _number(random: Random) -> str:
    match random.randint(0, 3):
        case 0:
            return repr(random.uniform(-1e6, 1e6))
        case 1:
            return f"{random.randint(-(10**9), 10**9)}.{random.randint(0, 10**6)}"
        case 2:
            return f"{random.random()}e{random.randint(-330, 310)}"
        case _:
            return str(random.randint(-(10**25), 10**25))


def _space(random: Random) -> str:
    return random.choice(["", "", "", " ", "\n", "\t "])


def _list(random: Random, elements: list[str]) -> str:
    return "[" + ",".join(_space(random) + element + _space(random) for element in elements) + "]"


def _object(random: Random, fields: list[tuple[str, str]]) -> str:
    written = []
    for name, value in fields:
        quote = "'" if random.random() < 0.05 else '"'
        spelled = f"\\u{ord(name[0]):04x}{name[1:]}" if random.random() < 0.05 else name
        written.append(
            f"{_space(random)}{quote}{spelled}{quote}{_space(random)}:{_space(random)}{value}{_space(random)}"
        )
    return "{" + ",".join(written) + "}"


NAMES = [column.split()[0] for column in JSON_SCHEMA.split(", ") if column[0] != "_"]


def json_document(random: Random) -> str:
    """An object with some of the schema's fields, some others, some twice; one in ten has damage."""
    names = [name for name in NAMES if random.random() < 0.4]
    names += [name for name in ("x", "y", "S") if random.random() < 0.2]
    if random.random() < 0.15:
        names += [random.choice(NAMES), random.choice(NAMES)]
    if random.random() < 0.5:
        random.shuffle(names)
    if random.random() < 0.6:
        names = list(dict.fromkeys(names))
        return _object(random, [(name, fitting_value(random, name)) for name in names])
    fields = [(name, json_value(random, name)) for name in names]
    if random.random() < 0.02:
        fields.append(("x", random.choice(DEEP + LONG)))
    if random.random() < 0.05:
        fields.append((random.choice([*NAMES, "x"]), random.choice(BROKEN)))
    document = _object(random, fields)
    if random.random() < 0.05 and document:
        at = random.randrange(len(document))
        document = document[:at] + random.choice(["", "}", "{", ",", '"', "\\", "x", " "]) + document[at + 1 :]
    return _space(random) + document + random.choice(["", "", "", " ", "x", "}", '{"l": 9}'])


WHOLE_DOCUMENTS = [
    "",
    " ",
    "null",
    "[]",
    "[{}]",
    "1",
    '"s"',
    "{}",
    " { } ",
    "{",
    "}",
    '{"l":1',
    '{"l":1,}',
    "\ufeff{}",
    '{"":1}',
    "nul",
    "{l:1}",
]

CSV_TEXTS = ["a", "", '""', '"a,b"', '"a""b"', '"a\\"b"', '"a"b', '"a" b"', ' "a"', '"a" ', "'a'", '"a\nb"', "a\\,b", '"a\\\\"', '"a\\n"',
             '"a\\b\\"c"', '"\\\\b\\"c"', " a ", '" a "', "é漢😀", '"a"""', '"""a"', '"a,"b', "-", "\t", "#a", '"a\\""b"', "a\rb"]  # fmt: skip


def csv_field(random: Random, name: str) -> str:
    """A field of a line, mostly what its column asks for."""
    if name in ("s", "z", "raw") or random.random() < 0.1:
        return random.choice(CSV_TEXTS)
    if name == "b":
        return random.choice(["true", "FALSE", "True", "t", "1", "", " true"])
    value = json_value(random, name)
    plain = value[1:-1] if value[:1] == value[-1:] == '"' and "\\" not in value and "'" not in value else value
    if any(special in plain for special in ',"\\{['):
        return random.choice(["1 ", "+1", "-", "1d", "2f", ".5", "5.", "Inf", "-Inf", " 7", "00012", "1e5f"])
    return f'"{plain}"' if random.random() < 0.2 else plain


CSV_NAMES = [column.split()[0] for column in CSV_SCHEMA.split(", ") if column[0] != "_"]


def fitting_field(random: Random, name: str) -> str:
    """A field of a line that fits its column."""
    if name in ("s", "z", "raw"):
        return random.choice(CSV_TEXTS)
    if name in ("d", "f") and random.random() < 0.3:
        return random.choice(["NaN", "Inf", "-Inf", " 7", "1d", "2f", ".5", "5.", "1e5f", "Infinity", '"1.5"'])
    value = fitting_value(random, name)
    if name == "span" or value == "null" or "15706" in value:
        return ""
    return value if "," in value else value.strip('"')


def csv_line(random: Random) -> str:
    """A line of the schema's fields, one in twenty with too few or too many."""
    names = CSV_NAMES
    if random.random() < 0.5:
        return ",".join(fitting_field(random, name) for name in names)
    if random.random() < 0.1:
        names = names[: random.randint(1, len(names) - 1)]
    if random.random() < 0.05:
        names = [*names, "s"]
    return ",".join(csv_field(random, name) for name in names)


def encode(values: list[bytes]) -> bytes:
    """A record batch of these values, by another implementation."""
    builder = _DefaultRecordBatchBuilderPy(
        magic=2, compression_type=0, is_transactional=False, producer_id=-1, producer_epoch=-1, base_sequence=-1, batch_size=1 << 26
    )  # fmt: skip
    for index, value in enumerate(values):
        assert builder.append(index, 0, None, value, []) is not None
    return bytes(builder.build())
