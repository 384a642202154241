"""The exception classes."""

import doctest
import pickle

import pytest

from barnabas import errors


def test_every_code_has_a_class_of_its_own():
    assert len(errors.BY_CODE) == len(set(errors.BY_CODE.values())) == 134
    for code, cls in errors.BY_CODE.items():
        error = errors.for_code(code)
        assert type(error) is cls
        assert (error.code, isinstance(error, errors.KafkaError)) == (code, True)
        assert str(error) == f"{cls.text} [{cls.name}{'' if code == -1 else f' ({code})'}]"
        assert getattr(errors, cls.__name__) is cls
        assert not (cls.fatal and cls.retriable)


def test_an_unknown_code_is_kept():
    error = errors.for_code(999, "what is this")
    assert (type(error), error.code) == (errors.UnknownServerError, 999)
    assert errors.UnknownServerError.code == -1


def test_code_zero_is_no_error():
    with pytest.raises(ValueError, match="no error"):
        errors.for_code(0)


def test_an_error_says_what_was_attempted_on_whom():
    error = errors.NotLeaderOrFollowerError(broker=2, topic_partition=("orders", 3), attempt=4)
    assert error.retriable
    assert error.refreshes_metadata
    assert str(error).endswith("[NOT_LEADER_OR_FOLLOWER (6), orders-3, broker 2, attempt 4]")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(again), str(again)) == (type(error), str(error))
    unknown = pickle.loads(pickle.dumps(errors.for_code(999)))  # noqa: S301
    assert unknown.code == 999


def test_client_side_errors_are_caught_as_the_protocols_and_pythons():
    assert issubclass(errors.BufferExhaustedError, (errors.KafkaTimeoutError, TimeoutError))
    assert errors.KafkaTimeoutError().code == 7
    assert issubclass(errors.ConnectionFailedError, ConnectionError)
    assert errors.ConnectionFailedError().retriable
    assert issubclass(errors.RecordTooLargeError, errors.MessageTooLargeError)
    for cls in (errors.ConfigError, errors.IllegalStateError, errors.ForkedClientError):
        assert not issubclass(cls, errors.KafkaError)
    for name in errors.__all__:
        assert hasattr(errors, name)


def test_the_example_runs():
    assert doctest.testmod(errors).failed == 0
