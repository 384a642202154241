"""Patterns of subscribePattern: the meaning of Java, or a clear refusal."""

from __future__ import annotations

import pytest

from barnabas.errors import ConfigError
from barnabas.spark.java_regex import compile_java_regex

NAMES = ["orders", "orders-1", "orders.eu", "Orders", "a.b", "axb", "a-b", "abab", "A1_z", "42"]


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        (r"orders.*", ["orders", "orders-1", "orders.eu"]),
        (r"orders", ["orders"]),
        (r"(?i)orders", ["orders", "Orders"]),
        (r"(?i:O)rders", ["orders", "Orders"]),
        (r"\Qa.b\E", ["a.b"]),
        (r"\Qa.b", ["a.b"]),
        (r"a\x2eb|\u0061\x{2d}b", ["a.b", "a-b"]),
        (r"orders-\p{Digit}++", ["orders-1"]),
        (r"[\p{Alpha}\p{Digit}_]+", ["orders", "Orders", "axb", "abab", "A1_z", "42"]),
        (r"\P{Lower}+", ["42"]),
        (r"(?<pair>ab)\k<pair>", ["abab"]),
        (r"(?>a|ab)b", []),
        (r"[^a-z.-]+", ["42"]),
        (r"\d+\z", ["42"]),
        (r"^orders$", ["orders"]),
        (r"(?!orders)[a-z-]+", ["axb", "a-b", "abab"]),
    ],
)
def test_what_matches(pattern, matched):
    assert [name for name in NAMES if compile_java_regex(pattern).fullmatch(name)] == matched


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("[a-z&&[^b]]", "intersection"),
        ("[a[b]]", "class inside"),
        (r"\p{IsGreek}", "p{IsGreek}"),
        (r"[\P{Lower}]", "inside of brackets"),
        (r"a(?i)b", "(?i)"),
        (r"(?u)a", "(?u)"),
        (r"\Ra", "\\R"),
        (r"\07", "\\0"),
        ("(", "no regular expression"),
        ("[a", "ends in the middle"),
        ("a\\", "ends in the middle"),
        (r"\p{Alpha", "is missing"),
        (r"\xzz", "no character"),
    ],
)
def test_what_is_refused(pattern, what):
    with pytest.raises(ConfigError, match="option subscribePattern") as caught:
        compile_java_regex(pattern)
    assert what in str(caught.value)
