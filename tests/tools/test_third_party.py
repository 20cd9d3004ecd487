from __future__ import annotations

import re

import pytest

from agent.models.manifest import load_manifest
from tools.third_party import TARGET, direct, licence, requirement_name

# What may be combined into a work under GPL-3.0-or-later.
COMPATIBLE = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "GPL-3.0-or-later",
    "LGPL-2.1-or-later",
    "MIT",
    "MPL-2.0",
    "Zlib",
}


def rows(title: str) -> dict[str, str]:
    section = TARGET.read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| (\S+) \| ([^|]+?) \|", section, re.MULTILINE)[1:])


def test_every_direct_dependency_is_listed_and_nothing_else() -> None:
    run, dev = direct()
    assert sorted(rows("To run"), key=str.lower) == sorted(run, key=str.lower)
    assert sorted(rows("To develop"), key=str.lower) == sorted(dev, key=str.lower)


@pytest.mark.parametrize("package", direct()[0])
def test_what_we_run_on_states_a_licence_that_we_may_combine(package: str) -> None:
    stated = set(re.split(r" AND | OR |, ", licence(package)))
    assert stated <= COMPATIBLE
    assert set(re.split(r" AND | OR |, ", rows("To run")[package])) <= COMPATIBLE


def test_every_model_is_listed_with_its_licence() -> None:
    assert rows("Models") == {name: model.licence for name, model in load_manifest().models.items()}


@pytest.mark.parametrize(
    ("requirement", "name"),
    [("pipecat-ai>=1.14,<2", "pipecat-ai"), ("av>=18", "av"), ("types-PyYAML", "types-PyYAML")],
)
def test_names_of_requirements(requirement: str, name: str) -> None:
    assert requirement_name(requirement) == name
