"""What a node without authorizer and SASL says of access control, authentication and tokens; SCRAM credentials; quotas."""

from __future__ import annotations

from typing import Final

from behaviour.cases import Body, Play, case

SCRAM: Final = "AlterUserScramCredentials"
QUOTAS: Final = "AlterClientQuotas"


@case
def access_control(play: Play) -> None:
    some = {"resourceTypeFilter": 1, "patternTypeFilter": 3, "operation": 1, "permissionType": 1}
    creation = {
        "resourceType": 2, "resourceName": "x", "resourcePatternType": 3, "principal": "User:a", "host": "*", "operation": 3,
        "permissionType": 3,
    }  # fmt: skip
    for version in play.versions("DescribeAcls"):
        play.ask("DescribeAcls", version, **some)
        play.ask("CreateAcls", version, creations=[creation, creation])
        play.ask("CreateAcls", version, creations=[])
        play.ask("DeleteAcls", version, filters=[{**some, "resourceTypeFilter": 2}] * 2)
        play.ask("DeleteAcls", version, filters=[])


@case
def authentication(play: Play) -> None:
    for version in play.versions("SaslHandshake"):
        for mechanism in ("PLAIN", "", "NOPE"):
            play.ask("SaslHandshake", version, on=play.connect(), mechanism=mechanism)
    for version in play.versions("SaslAuthenticate"):
        play.ask("SaslAuthenticate", version, on=play.connect(), authBytes=b"x")


@case
def tokens(play: Play) -> None:
    for version in play.versions("CreateDelegationToken"):
        play.ask("CreateDelegationToken", version, maxLifetimeMs=1_000)
        play.ask("DescribeDelegationToken", version, owners=None)
        play.ask("DescribeDelegationToken", version, owners=[])
    for version in play.versions("RenewDelegationToken"):
        play.ask("RenewDelegationToken", version, hmac=b"x", renewPeriodMs=1)
        play.ask("ExpireDelegationToken", version, hmac=b"x", expiryTimePeriodMs=1)


def put(name: str, mechanism: int = 1, iterations: int = 4_096) -> Body:
    return {"name": name, "mechanism": mechanism, "iterations": iterations, "salt": b"salt", "saltedPassword": b"p"}


def gone(name: str, mechanism: int = 1) -> Body:
    return {"name": name, "mechanism": mechanism}


@case
def credentials(play: Play) -> None:
    mark = play.topic()
    a, b = play.named("a"), play.named("b")

    def told(*names: str) -> None:
        play.settle(mark)
        play.ask("DescribeUserScramCredentials", 0, users=[{"name": name} for name in names])

    told(a)
    told(a, a, b)
    changes: list[tuple[list[Body], list[Body]]] = [
        ([], [put("")]), ([], [put(a, mechanism=0)]), ([], [put(a, mechanism=9)]), ([], [put(a, iterations=1)]),
        ([], [put(a, iterations=99_999)]), ([], [put(a, mechanism=2, iterations=4_095)]), ([], [put(a), put(a)]),
        ([gone(a)], [put(a)]), ([gone(a)], []), ([gone(a, 9)], []), ([gone(a, 0)], []), ([gone("")], []),
        ([gone(a), gone(a)], []), ([], []), ([], [put(a), put(a, 2), put(b, 2, 8_192)]),
        # Together in one request: the reference answers yes and does not keep what was put.
        ([], [put(a, iterations=5_000), put("")]), ([gone(a)], []), ([], [put(b, 1)]), ([gone(a), gone(b, 2)], []),
    ]  # fmt: skip
    for index, (deletions, upsertions) in enumerate(changes):
        play.ask(SCRAM, 0, label=str(index), deletions=deletions, upsertions=upsertions)
        told(a, b)
    play.quiet(SCRAM, 0, deletions=[gone(a, 2), gone(b, 1)], upsertions=[])


def change(entities: list[tuple[str, str | None]], *ops: tuple[str, float, bool], validate: bool = False) -> Body:
    entity = [{"entityType": kind, "entityName": name} for kind, name in entities]
    told = [{"key": key, "value": value, "remove": remove} for key, value, remove in ops]
    return {"entries": [{"entity": entity, "ops": told}], "validateOnly": validate}


RATE: Final = ("producer_byte_rate", 1000.0, False)
REFUSED: Final[list[tuple[list[tuple[str, str | None]], list[tuple[str, float, bool]]]]] = [
    ([], [RATE]),
    ([("user", "q"), ("user", "r")], [RATE]),
    ([("nope", "q")], [RATE]),
    ([("user", "")], [RATE]),
    ([("user", "q"), ("ip", "127.0.0.1")], [RATE]),
    ([("client-id", "q"), ("ip", "127.0.0.1")], [RATE]),
    ([("ip", "127.0.0.1")], [RATE]),
    ([("ip", "no host")], [("connection_creation_rate", 1.0, False)]),
    ([("ip", "127.0.0.1")], [("connection_creation_rate", 1.5, False)]),
    ([("user", "q")], [("connection_creation_rate", 1.0, False)]),
    ([("user", "q")], [("nope", 1.0, False)]),
    ([("user", "q")], [("producer_byte_rate", 1.5, False)]),
    ([("user", "q")], [("producer_byte_rate", 0.0, False)]),
    ([("user", "q")], [("producer_byte_rate", -1.0, False)]),
    ([("user", "q")], [("producer_byte_rate", 1e30, False)]),
    ([("user", "q")], [("request_percentage", 0.5, False)]),
    ([("user", "q")], [("request_percentage", 0.0, False)]),
    ([("user", "q")], [("controller_mutation_rate", 1.5, False)]),
    ([("user", "q")], [RATE, ("producer_byte_rate", 2.0, False)]),
    ([("user", "q")], []),
    ([("user", "q")], [("nope", 1.0, True)]),
]


@case
def quotas_that_are_refused(play: Play) -> None:
    for version in play.versions(QUOTAS):
        for entities, ops in REFUSED:
            label = f"{entities} {[op[:2] for op in ops]}"
            play.ask(QUOTAS, version, label=label, **change(entities, *ops, validate=True))


@case
def quotas(play: Play) -> None:
    mark = play.topic()
    user, client = play.named("user"), play.named("client")

    def told(*components: tuple[str, int, str | None], strict: bool = False) -> None:
        play.settle(mark)
        for version in play.versions("DescribeClientQuotas"):
            parts = [{"entityType": kind, "matchType": how, "match": match} for kind, how, match in components]
            play.ask("DescribeClientQuotas", version, label=f"{components}", components=parts, strict=strict)

    both: list[tuple[str, str | None]] = [("user", user), ("client-id", client)]
    steps: list[tuple[list[tuple[str, str | None]], list[tuple[str, float, bool]]]] = [
        ([("user", user)], [RATE, ("request_percentage", 12.5, False)]),
        (both, [("consumer_byte_rate", 5.0, False)]),
        ([("client-id", None)], [("consumer_byte_rate", 1e12, False)]),
        ([("ip", "127.0.0.9")], [("connection_creation_rate", 1000.0, False)]),
        ([("user", user)], [("consumer_byte_rate", 0.0, True)]),
    ]
    for entities, ops in steps:
        play.ask(QUOTAS, 1, **change(entities, *ops))
    for strict in (False, True):
        for components in (
            [], [("user", 0, user)], [("user", 1, None)], [("user", 2, None)], [("client-id", 1, None)], [("client-id", 2, None)],
            [("user", 2, None), ("client-id", 2, None)], [("ip", 2, None)],
        ):  # fmt: skip
            told(*components, strict=strict)
    wrong: list[list[tuple[str, int, str | None]]] = [
        [("nope", 2, None)], [("user", 9, None)], [("user", 0, None)], [("user", 2, None), ("user", 2, None)],
        [("user", 2, None), ("ip", 2, None)], [("", 2, None)], [("user", 1, "x")],
    ]  # fmt: skip
    for some in wrong:
        told(*some)
    play.ask(
        QUOTAS, 1, **change([("user", user)], ("producer_byte_rate", 7.0, False), ("request_percentage", 0.0, True))
    )
    told()
    for entities, key in (
        ([("user", user)], "producer_byte_rate"), (both, "consumer_byte_rate"), ([("client-id", None)], "consumer_byte_rate"),
        ([("ip", "127.0.0.9")], "connection_creation_rate"),
    ):  # fmt: skip
        play.quiet(QUOTAS, 1, **change(entities, (key, 0.0, True)))
    told()
