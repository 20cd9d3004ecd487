from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import AgentError
from agent.models.manifest import load_manifest

HEX = "ab" * 32
GOOD = f"""\
models:
  toy:
    about: a test
    licence: MIT
    files:
      - {{name: a.gguf, bytes: 4, sha256: {HEX}}}
    sources:
      - path: /somewhere
"""


def test_the_shipped_manifest_and_its_default_set() -> None:
    manifest = load_manifest()
    assert manifest.default_names() == [
        "whisper-base",
        "whisper-tiny.en",
        "smollm2-135m",
        "qwen2.5-coder-0.5b",
        "piper-joe",
    ]
    assert "qwen2.5-coder-1.5b" in manifest.models
    # What the default set takes on the disk, with what it is made from.
    assert sum(manifest.get(name).size_bytes for name in manifest.default_names()) < 1_000_000_000


@pytest.mark.parametrize(
    ("line", "wrong", "says"),
    [
        ("      - path: /somewhere", "      - pth: /somewhere", ":8: models.toy.sources.0.pth is not a key"),
        (
            "      - path: /somewhere",
            "      - {path: /a, hub: b/c}",
            ":8: models.toy.sources.0: a source has exactly one",
        ),
        ("      - path: /somewhere", "      - ftp", ":8: models.toy.sources.0 must be"),
        (
            "      - path: /somewhere",
            "      - packages: [x>=1]",
            ":8: models.toy.sources.0.packages.0 must be",
        ),
        (
            "      - path: /somewhere",
            "      - {path: /a, files: {b: [b]}}",
            "names b, which is none of the files",
        ),
        (f"bytes: 4, sha256: {HEX}", "bytes: 4, sha256: abc", ":6: models.toy.files.0.sha256 must be"),
        (f"bytes: 4, sha256: {HEX}", f"bytes: 0, sha256: {HEX}", ":6: models.toy.files.0.bytes must be"),
        ("name: a.gguf", "name: ../a.gguf", ":6: models.toy.files.0.name must be"),
        ("    licence: MIT", "    license: MIT", ":4: models.toy.license is not a key"),
        ("  toy:", "  ../toy:", "toy"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, line: str, wrong: str, says: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(GOOD)
    load_manifest(path)
    assert GOOD.count(line) == 1
    path.write_text(GOOD.replace(line, wrong))
    with pytest.raises(AgentError) as caught:
        load_manifest(path)
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_model_has_one_origin(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(GOOD + "    bundled: {package: pipecat, member: x.onnx}\n")
    with pytest.raises(AgentError, match="a model has exactly one of sources, requantise, bundled"):
        load_manifest(path)


def test_a_recipe_needs_its_origin(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    recipe = f"{{from: other, type: Q4_0, file: b.gguf, bytes: 4, sha256: {HEX}}}"
    path.write_text(GOOD + f"  small:\n    about: b\n    licence: MIT\n    requantise: {recipe}\n")
    with pytest.raises(AgentError, match="small is made from other, which is no model of one file here"):
        load_manifest(path)
