"""The examples in docstrings run, each against a fresh topic `orders` and with clients that are ready to use."""

import asyncio
import doctest
import importlib
import pkgutil
import sys
from itertools import islice

import pytest

import barnabas
from barnabas import aio, assignors, client, errors

MODULES = [
    "barnabas",
    "barnabas.config",
    "barnabas.types",
    *(module.name for module in pkgutil.walk_packages(assignors.__path__, "barnabas.assignors.")),
    *(module.name for module in pkgutil.walk_packages(client.__path__, "barnabas.client.")),
    *(module.name for module in pkgutil.walk_packages(aio.__path__, "barnabas.aio.")),
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples() -> list[object]:
    found = []
    for name in MODULES:
        module = importlib.import_module(name)
        found += [pytest.param(test, id=test.name) for test in doctest.DocTestFinder().find(module) if test.examples]
    return found


@pytest.fixture
def names(stack):
    broker = stack.enter_context(barnabas.Broker())
    servers = {"bootstrap_servers": broker.bootstrap_servers}
    admin = stack.enter_context(barnabas.Admin(**servers))
    admin.create_topics([barnabas.NewTopic("orders")])
    producer = stack.enter_context(barnabas.Producer(**servers))
    producer.send_many("orders", [b"3 apples", b"5 pears"]).result(10)
    consumer = stack.enter_context(
        barnabas.Consumer(**servers, group_id="billing", auto_offset_reset="earliest", enable_auto_commit=False)
    )
    return {
        **{name: getattr(barnabas, name) for name in barnabas.__all__},
        "asyncio": asyncio,
        "islice": islice,
        "broker": broker,
        "admin": admin,
        "producer": producer,
        "consumer": consumer,
        "errors": errors,
    }


async def make_async(address):
    consumer = barnabas.AsyncConsumer(
        bootstrap_servers=address, group_id="billing", auto_offset_reset="earliest", enable_auto_commit=False
    )
    return consumer, barnabas.AsyncProducer(bootstrap_servers=address)


@pytest.mark.parametrize("test", examples())
def test_the_example_in_the_docstring_runs(test: doctest.DocTest, names, stack):
    if ".aio." in test.name:
        run = stack.enter_context(asyncio.Runner()).run
        consumer, producer = run(make_async(names["broker"].bootstrap_servers))
        names |= {"consumer": consumer, "producer": producer, "run": run}
        stack.callback(lambda: run(consumer.close()))
        stack.callback(lambda: run(producer.close()))
    elif "Consumer." in test.name or "ConsumerFace." in test.name:
        names["consumer"].assign([barnabas.TopicPartition("orders", 0)])
    if test.name.endswith("Admin.list_consumer_group_offsets"):
        names["consumer"].commit({barnabas.TopicPartition("orders", 0): 42})
    if test.name.endswith("ConsumerFace.subscription"):
        names["consumer"].unsubscribe()
    test.globs = {**vars(sys.modules[test.globs["__name__"]]), **names}
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert failed == 0, "".join(report)
