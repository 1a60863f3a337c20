"""The compose files fit the schema, the image, the commands and each other."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import click
import pytest

from tests.support.deploy.deployment import (
    COMPOSE,
    COMPOSE_FRONT,
    COMPOSE_TLS,
    DEPLOY,
    PROMETHEUS,
    compose,
    filled,
    image,
    image_environment,
    known_variables,
    parsed,
    read_yaml,
    variables,
)
from tests.support.deploy.front import FRONT
from tests.support.folders import short_folder
from tests.support.service.processes import RedisServer

TLS = {"FUDABA_HOST": "play.example.org", "FUDABA_TLS_CERT_FILE": "/cert", "FUDABA_TLS_KEY_FILE": "/key"}
OURS = {
    "service": ("serve",),
    "gateway": ("web",),
    "arena": ("arena", "serve"),
    "worker": ("arena", "worker"),
    "sandbox-worker": ("arena", "worker"),
    "tournament": ("arena", "run"),
    "backup": ("backup",),
}
IMAGES = {"sandbox-worker": "worker"}
"""Those that do not run in the usual image."""
IN_IMAGE = {"/etc/fudaba/worker.toml": str(DEPLOY / "worker.toml")}
"""Files that an image has, where they are in the checkout."""
BESIDE: dict[str, list[tuple[str, ...]]] = {"service": [("health",), ("bot", "create"), ("ladder", "create")]}
"""What else is run in a container, by the health check or an organiser."""


def with_tls(file: Path = COMPOSE_TLS) -> Any:
    """Returns what the TLS file, or another one, says of the services, laid over the usual one as compose does."""
    base, over = compose()["services"], compose(file, **TLS)["services"]
    for name, changes in over.items():
        base.setdefault(name, {})
        for key, value in changes.items():
            base[name][key] = base[name].get(key, {}) | value if key in {"environment", "healthcheck"} else value
    return base


def path_on_host(service: Any, word: str) -> str:
    """Returns a word of a command line, with a path in a mounted folder as this machine has it."""
    for volume in service.get("volumes", []):
        source, target = volume.split(":")[:2]
        if source.startswith(".") and word.startswith(f"{target}/"):
            return str(DEPLOY / source) + word.removeprefix(target)
    return word


def port(address: str) -> int:
    return int(address.rpartition(":")[2])


@pytest.mark.parametrize("file", [COMPOSE, COMPOSE_TLS, COMPOSE_FRONT], ids=lambda file: file.name)
@pytest.mark.exhaustive
def test_the_files_fit_the_schema_of_the_compose_specification(file: Path) -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.compose-spec", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_variable_is_in_the_example_with_its_default_and_none_besides() -> None:
    more = variables(COMPOSE_TLS) | variables(COMPOSE_FRONT)
    used = variables(COMPOSE) | {(name, default) for name, default in more if default}
    names = {name for name, _ in used | more}
    given = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", (DEPLOY / "example.env").read_text(), re.MULTILINE))
    assert set(given) == names
    assert {name: given[name] for name, default in used if default} == {
        name: default for name, default in used if default
    }


def test_no_password_is_built_in() -> None:
    with pytest.raises(KeyError, match="GRAFANA_PASSWORD"):
        filled(read_yaml(COMPOSE), {})


def test_where_there_are_fronts_the_gateway_speaks_tls_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = with_tls(COMPOSE_FRONT)["gateway"]
    for variable, value in (image_environment() | gateway["environment"]).items():
        monkeypatch.setenv(variable, IN_IMAGE.get(value, value))
    given = parsed(gateway["command"]).params
    assert {str(given[name]) for name in ("tls_cert", "tls_key")} == {
        f"/run/secrets/{secret}" for secret in gateway["secrets"]
    }
    assert not given["insecure"]
    # What it calls has no TLS behind the fronts.
    assert not given["tls"]
    assert gateway["healthcheck"]["disable"] is True
    # Bots connect to the front of the service.
    assert given["bots_at"] == f"https://:{with_tls(COMPOSE_FRONT)['front']['environment']['FRONT_LISTEN']}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("name", OURS)
def test_every_command_line_is_one_that_fudaba_takes(name: str, tls: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    service = (with_tls() if tls else compose()["services"])[name]
    environment = image_environment(IMAGES.get(name, "")) | service["environment"]
    for variable, value in environment.items():
        monkeypatch.setenv(variable, IN_IMAGE.get(value, value))
    words = [path_on_host(service, word) for word in service["command"]]
    context = parsed(words)
    assert context.command_path.split()[1:] == list(OURS[name])
    # Each variable is one that a command of this container listens to.
    assert set(service["environment"]) <= known_variables(OURS[name], *BESIDE.get(name, []))
    assert set(image_environment()) <= known_variables(*OURS.values())
    source = click.core.ParameterSource
    for parameter in context.command.params:
        if parameter.envvar in service["environment"]:
            # What the operator leaves empty is as the command has it without a word.
            expected = source.ENVIRONMENT if service["environment"][parameter.envvar] else source.DEFAULT
            assert context.get_parameter_source(str(parameter.name)) is expected, parameter.name
    if name in {"service", "gateway", "arena"}:
        assert context.params["insecure"] is not tls
        assert (context.params["tls_cert"] is not None) is tls
    if name == "tournament":
        assert context.params["file"].is_file()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_the_health_check_asks_the_service_where_it_listens(tls: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    service = (with_tls() if tls else compose()["services"])["service"]
    for variable, value in service["environment"].items():
        monkeypatch.setenv(variable, value)
    kind, program, *words = service["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "fudaba")
    asked = parsed(words).params
    assert port(asked["server"]) == port(image_environment()["FUDABA_LISTEN"])
    assert asked["tls"] is tls
    if tls:
        # By the certificate's name, which leads to the container itself.
        host = asked["server"].rpartition(":")[0]
        assert service["extra_hosts"] == [f"{host}=127.0.0.1"]
        assert service["networks"]["play"]["aliases"] == [host]
        for name in ("gateway", "arena", "worker", "tournament"):
            assert with_tls()[name]["environment"]["FUDABA_SERVER"] == asked["server"], name


def test_the_arena_s_health_check_asks_it_where_it_listens() -> None:
    kind, program, *words = compose()["services"]["arena"]["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "fudaba")
    assert port(parsed(words).params["server"]) == port(image_environment()["FUDABA_ARENA_LISTEN"])


def test_the_gateway_s_health_check_asks_it_where_it_listens() -> None:
    gateway = compose()["services"]["gateway"]
    [asked] = re.findall(r"http://127\.0\.0\.1:(\d+)/", gateway["healthcheck"]["test"][-1])
    assert int(asked) == port(image_environment()["FUDABA_WEB_LISTEN"])
    compile(gateway["healthcheck"]["test"][-1], "healthcheck", "exec")


def test_ports_hosts_and_networks_of_the_parts_fit() -> None:
    services = compose()["services"]
    environment = image_environment()
    for name, variable in (
        ("service", "FUDABA_LISTEN"), ("arena", "FUDABA_ARENA_LISTEN"), ("gateway", "FUDABA_WEB_LISTEN")
    ):  # fmt: skip
        assert [port(port_mapping) for port_mapping in services[name]["ports"]] == [port(environment[variable])]
    listens = port(environment["FUDABA_LISTEN"])
    for name in ("gateway", "arena", "worker", "tournament"):
        assert services[name]["environment"]["FUDABA_SERVER"] == f"service:{listens}"
    for name in ("service", "gateway"):
        assert services[name]["environment"]["FUDABA_ARENA"] == f"arena:{port(environment['FUDABA_ARENA_LISTEN'])}"
    assert services["service"]["environment"]["FUDABA_REDIS"].startswith("redis://redis:6379/")
    for caller, other in (
        *(("service", "redis"), ("service", "arena"), ("arena", "service"), ("worker", "service")),
        *(("tournament", "service"), ("arena", "arena-redis"), ("worker", "arena-redis")),
        *(("prometheus", name) for name in OURS if name not in {"gateway", "backup"}),
        *(("backup", name) for name in ("redis", "arena-redis")),
        *(("gateway", name) for name in ("service", "arena")),
        ("grafana", "prometheus"),
    ):
        assert set(services[caller]["networks"]) & set(services[other]["networks"]), f"{caller} cannot reach {other}"


def test_the_arena_and_its_workers_share_a_redis() -> None:
    services = compose()["services"]
    urls = {services[name]["environment"]["FUDABA_ARENA_REDIS"] for name in ("arena", "worker")}
    assert urls == {"redis://arena-redis:6379/0"}
    assert services["arena-redis"]["profiles"] == services["arena"]["profiles"] == services["worker"]["profiles"]


@pytest.mark.parametrize(
    ("network", "members"),
    [
        ("store", ["redis", "service", "backup"]),
        ("arena-store", ["arena-redis", "arena", "worker", "sandbox-worker", "backup"]),
    ],
)
def test_each_redis_is_reached_by_those_whose_store_it_is_and_from_nowhere_outside(
    network: str, members: list[str]
) -> None:
    services = compose()["services"]
    assert [name for name, service in services.items() if network in service["networks"]] == members
    assert compose()["networks"][network]["internal"] is True
    assert "ports" not in services[members[0]]


def test_workers_have_time_to_end_their_matches_and_are_as_many_as_is_said() -> None:
    worker = compose()["services"]["worker"]
    grace = parsed(worker["command"]).params["grace"]
    assert grace < float(worker["stop_grace_period"].removesuffix("s"))
    assert grace > parsed(["arena", "worker"]).params["grace"]
    assert compose(FUDABA_WORKERS="4")["services"]["worker"]["deploy"]["replicas"] == "4"


def test_what_can_be_reached_can_be_reached_from_this_machine_only() -> None:
    published = [
        port_mapping for service in compose()["services"].values() for port_mapping in service.get("ports", [])
    ]
    assert len(published) == 5
    assert all(port_mapping.startswith("127.0.0.1:") for port_mapping in published)


def test_each_front_stands_before_what_believes_it_and_nobody_else_is_in_their_network() -> None:
    base, file = compose()["services"], compose(COMPOSE_FRONT, **TLS)
    over, environment = file["services"], image_environment()
    assert [name for name, service in over.items() if "front" in service.get("networks", ())] == [
        "service", "arena", "front", "arena-front"
    ]  # fmt: skip
    [network] = file["networks"]["front"]["ipam"]["config"]
    whole, fronts = IPv4Network(network["subnet"]), IPv4Network(network["ip_range"])
    fixed = [IPv4Address(over[name]["networks"]["front"]["ipv4_address"]) for name in ("service", "arena")]
    fixed.append(IPv4Address(network["gateway"]))
    # What has an address of its own is none of the fronts, whose addresses are those that are left.
    assert len(set(fixed)) == 3
    assert all(address in whole and address not in fronts for address in fixed)
    assert fronts.subnet_of(whole)
    for front, behind, word, listen in (
        ("front", "service", "FUDABA_BEHIND", "FUDABA_LISTEN"),
        ("arena-front", "arena", "FUDABA_ARENA_BEHIND", "FUDABA_ARENA_LISTEN"),
    ):
        front_service = over[front]
        assert over[behind]["environment"] == {word: network["ip_range"]}
        assert word in known_variables(OURS[behind])
        assert front_service["environment"]["FRONT_SERVICE"] == f"{behind}:{port(environment[listen])}"
        assert front_service.get("profiles") == base[behind].get("profiles")
        [published] = front_service["ports"]
        assert published.startswith("127.0.0.1:")
        assert (front_service["environment"]["FRONT_LISTEN"], front_service["environment"]["FRONT_SSL"]) == (
            str(port(published)),
            "ssl",
        )
        assert set(re.findall(r"\$\{(FRONT_\w+)\}", FRONT.read_text())) == {
            name for name in front_service["environment"] if name.startswith("FRONT_")
        }
        mounted = path_on_host(front_service, front_service["environment"]["FRONT_TLS"])
        assert Path(mounted).is_file()
        assert {f"/run/secrets/{name}" for name in front_service["secrets"]} == set(
            re.findall(r" (/run/secrets/\w+);", Path(mounted).read_text())
        )


def test_prometheus_scrapes_the_ports_where_metrics_are_served() -> None:
    jobs = {job["job_name"]: job for job in read_yaml(PROMETHEUS)["scrape_configs"]}
    environment = image_environment()
    for job, names, variable in (
        ("fudaba", ["service"], "FUDABA_METRICS"),
        ("fudaba-arena", ["arena", "tournament"], "FUDABA_ARENA_METRICS"),
        ("fudaba-worker", ["worker", "sandbox-worker"], "FUDABA_ARENA_WORKER_METRICS"),
    ):
        [found] = jobs[job]["dns_sd_configs"]
        assert found["names"] == names
        assert found["port"] == port(environment[variable])
    prometheus = compose()["services"]["prometheus"]
    [config] = [word for word in prometheus["command"] if word.startswith("--config.file=")]
    assert Path(path_on_host(prometheus, config.partition("=")[2])) == PROMETHEUS


def test_grafana_finds_prometheus_and_the_dashboard() -> None:
    services = compose()["services"]
    [source] = read_yaml(DEPLOY / "grafana/provisioning/datasources/prometheus.yml")["datasources"]
    [published] = services["prometheus"]["ports"]
    assert source["url"] == f"http://prometheus:{port(published)}"
    [provider] = read_yaml(DEPLOY / "grafana/provisioning/dashboards/fudaba.yml")["providers"]
    home = services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home.startswith(provider["options"]["path"] + "/")
    assert Path(path_on_host(services["grafana"], home)).is_file()


def test_every_volume_network_and_condition_that_is_named_exists() -> None:
    file = compose()
    for name, service in file["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (DEPLOY / source).is_dir() if source.startswith(".") else source in file["volumes"], volume
        assert set(service["networks"]) <= set(file["networks"])
        needs = service.get("depends_on", {})
        assert set(needs) <= set(file["services"])
        for other, condition in needs.items() if isinstance(needs, dict) else ():
            assert condition == {"condition": "service_healthy"}
            assert "test" in file["services"][other]["healthcheck"], f"{name} would wait for {other} for ever"


def test_what_must_last_is_in_a_volume_and_the_rest_cannot_be_written() -> None:
    services = compose()["services"]
    environment, given = image_environment(), services["service"]["environment"]
    for name, folders in (
        (
            "service",
            [environment["FUDABA_DATA"], given["FUDABA_ORGANISER_TOKEN_FILE"], given["FUDABA_ARENA_TOKEN_FILE"]],
        ),
        *((name, [environment["FUDABA_ARENA_DATA"]]) for name in ("arena", "worker", "tournament")),
    ):
        service = services[name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        mounted = [volume.split(":")[1] for volume in service["volumes"]]
        for folder in folders:
            assert any(folder == place or folder.startswith(f"{place}/") for place in mounted), folder


def test_the_backup_has_the_folders_and_stores_of_both_and_can_write_only_backups() -> None:
    services = compose()["services"]
    backup = services["backup"]
    given, words = backup["environment"], parsed([*backup["command"], "--data", "/all"]).params
    mounted = {volume.split(":")[0]: volume.split(":")[1:] for volume in backup["volumes"]}
    for part, kept, variable in (
        ("service", "FUDABA_DATA", "FUDABA_REDIS"), ("arena", "FUDABA_ARENA_DATA", "FUDABA_ARENA_REDIS")
    ):  # fmt: skip
        [volume] = [
            volume.split(":")[0]
            for volume in services[part]["volumes"]
            if volume.split(":")[1] == image_environment()[kept]
        ]
        assert mounted[volume] == [f"{given['FUDABA_DATA']}/{part}", "ro"]
        assert given[variable] == services[part]["environment"][variable]
    assert [volume for volume, place in mounted.items() if place[1:] != ["ro"]] == ["backups"]
    assert mounted["backups"] == [str(words["file"])]
    assert backup["read_only"] is True


def test_a_worker_that_runs_submissions_finds_them_where_the_arena_keeps_them() -> None:
    services = compose()["services"]
    kept = Path(image_environment()["FUDABA_ARENA_DATA"]) / "submissions"
    mounted = dict(volume.split(":")[:2] for volume in services["arena"]["volumes"])
    [volume] = [name for name, place in mounted.items() if kept.is_relative_to(place)]
    worker = services["sandbox-worker"]
    there = dict(mount.split(":")[:2] for mount in worker["volumes"])[volume]
    assert Path(worker["environment"]["FUDABA_ARENA_SUBMISSIONS"]) == Path(there) / kept.relative_to(mounted[volume])
    assert worker["build"]["target"] == "worker"
    assert worker["privileged"] is True
    assert worker["profiles"] == ["submissions"]


def test_arena_and_workers_have_a_token_of_their_own_and_cannot_read_the_organisers() -> None:
    services = compose()["services"]
    given = services["service"]["environment"]
    organisers = Path(given["FUDABA_ORGANISER_TOKEN_FILE"]).parent
    mounted = dict(volume.split(":")[:2] for volume in services["service"]["volumes"])
    [hers] = [name for name, place in mounted.items() if Path(place) == organisers]
    for name in ("arena", "worker", "sandbox-worker", "tournament"):
        service = services[name]
        assert service["environment"]["FUDABA_TOKEN_FILE"] == given["FUDABA_ARENA_TOKEN_FILE"]
        assert hers not in {volume.split(":")[0] for volume in service["volumes"]}
        assert f"{mounted['arena-token']}:ro" in {volume.partition(":")[2] for volume in service["volumes"]}


def test_the_gateway_has_a_token_of_its_own_and_can_read_no_other() -> None:
    services = compose()["services"]
    given = services["service"]["environment"]
    gateway = services["gateway"]
    assert gateway["environment"]["FUDABA_WEB_TOKEN_FILE"] == given["FUDABA_GATEWAY_TOKEN_FILE"]
    assert gateway["volumes"] == ["gateway-token:/run/fudaba-gateway:ro", "./site:/etc/fudaba-site:ro"]
    mounted = dict(volume.split(":")[:2] for volume in services["service"]["volumes"])
    assert Path(given["FUDABA_GATEWAY_TOKEN_FILE"]).parent == Path(mounted["gateway-token"])


def test_the_image_is_built_from_the_checkout() -> None:
    build = compose()["services"]["service"]["build"]
    assert (DEPLOY / build["context"]).resolve() == DEPLOY.parent
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    assert image()["ENTRYPOINT"].words == ["fudaba"]


@pytest.fixture
def place() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


@pytest.mark.parametrize("name", ["redis", "arena-redis"])
def test_redis_is_started_as_its_users_need_it(name: str, place: Path) -> None:
    program, *options = compose()["services"][name]["command"]
    assert program == "valkey-server"
    at = options.index("--dir")
    del options[at : at + 2]
    with RedisServer(place, *options) as server:
        server.start()
        with server.client() as client:
            wanted = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}
            assert {name: client.config_get(name)[name] for name in wanted} == wanted
            assert client.config_get("maxmemory") == {"maxmemory": str(1024**3)}
