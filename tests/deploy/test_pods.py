"""`deploy/pods.yaml`: what a cluster takes, with options that there are, and a role for all that a worker asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
from ruamel.yaml import YAML

from tests.support.kit.command_lines import understood

FILE = Path(__file__).resolve().parents[2] / "deploy" / "pods.yaml"


def documents() -> dict[str, Any]:
    """Returns the objects, by kind."""
    return {document["kind"]: document for document in YAML(typ="safe").load_all(FILE)}


def test_every_object_is_what_a_cluster_takes() -> None:
    kinds = {"ServiceAccount", "Role", "RoleBinding", "PersistentVolumeClaim", "Deployment"}
    found = documents()
    assert found.keys() == kinds
    for document in found.values():
        kubernetes_validate.validate(document, "1.30", strict=True)


def test_the_worker_may_do_all_that_it_asks_of_the_cluster() -> None:
    granted = {
        (group, resource): set(rule["verbs"])
        for rule in documents()["Role"]["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    # As `sandbox/cluster.py` asks; whoever applies an object creates it where it is not there.
    assert granted == {
        ("", "pods"): {"create", "delete", "list", "watch"},
        ("", "pods/log"): {"get"},
        ("networking.k8s.io", "networkpolicies"): {"create", "get", "patch"},
    }


def test_its_command_is_one_that_there_is() -> None:
    [container] = documents()["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert understood(" ".join(["fudaba", *container["args"]])) == 1
    assert [variable["name"] for variable in container["env"]] == ["FUDABA_POD_UID"]
