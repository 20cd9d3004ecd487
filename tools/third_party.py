"""Write THIRD_PARTY.md: what we depend on directly, the models, and their licences, as the packages state them.

python -m tools.third_party
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

from agent.models.manifest import load_manifest

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "THIRD_PARTY.md"

# What the trove classifiers call them, by the name that is used everywhere else.
_SHORT = {
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
}

HEAD = """# What Budgie stands on

Budgie is GPL-3.0-or-later (see LICENSE), since piper-tts is GPL-3.0. Everything below is compatible with it.
This file is made by `python -m tools.third_party` from what the installed packages state; a test checks it.
Packages that these bring along are pinned in `requirements/run.txt`. Some wheels carry libraries of other
licences: av carries ffmpeg (LGPL and GPL), piper-tts espeak-ng (GPL-3.0), soundfile libsndfile (LGPL-2.1),
soxr libsoxr (LGPL-2.1).
"""


def requirement_name(requirement: str) -> str:
    """The package's name in ``"pipecat-ai>=1.14,<2"``."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None, requirement
    return found.group(0)


def direct(pyproject: Path = ROOT / "pyproject.toml") -> tuple[list[str], list[str]]:
    """Names of the packages that we depend on: to run, and to develop."""
    project = tomllib.loads(pyproject.read_text())["project"]
    run = [requirement_name(each) for each in project["dependencies"]]
    dev = [requirement_name(each) for each in project["optional-dependencies"]["dev"]]
    return [*run, "llama-cpp-python"], dev


def licence(package: str) -> str:
    """The licence that an installed package states, as an SPDX name where it can be told."""
    stated = metadata(package)

    def first(key: str) -> str:
        return str((stated.get_all(key) or [""])[0]).strip()

    if expression := first("License-Expression"):
        return expression
    text = first("License")
    if text and "\n" not in text and len(text) < 40:
        return _SHORT.get(text, text)
    classifiers = stated.get_all("Classifier") or []
    names = [line.rsplit(" :: ", 1)[-1] for line in classifiers if line.startswith("License")]
    return ", ".join(_SHORT.get(name, name) for name in names) or "not stated"


def render() -> str:
    """The whole file."""
    run, dev = direct()
    lines = [HEAD]
    for title, names in (("To run", run), ("To develop", dev)):
        lines += [f"\n## {title}\n", "| package | licence |", "|---|---|"]
        lines += [f"| {name} | {licence(name)} |" for name in sorted(names, key=str.lower)]
        lines.append("")
    lines += ["\n## Models\n", "| model | licence | what it is for |", "|---|---|---|"]
    models = load_manifest().models
    lines += [f"| {name} | {model.licence} | {model.about} |" for name, model in models.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(render())
    sys.stderr.write(f"{TARGET.name} is written.\n")
