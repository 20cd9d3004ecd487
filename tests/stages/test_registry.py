from __future__ import annotations

import subprocess
import sys

import pytest

from stages import registry
from stages.errors import EnvironmentFault, InputError
from stages.registry import ENGINES, EngineSpec, engine


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in ENGINES for name in ENGINES[kind]])
def test_every_engine_of_the_table_is_there(kind, name):
    module, _, attribute = ENGINES[kind][name].target.partition(":")
    found = engine(kind, name)
    assert (found.__module__, found.__name__) == (module, attribute)


def test_an_unknown_name_lists_the_choices():
    with pytest.raises(InputError, match=r"no asr engine 'parrot'\. Choose from: whisper, fake"):
        engine("asr", "parrot")
    with pytest.raises(InputError, match=r"Choose from: activity, turn_end, text_end, asr, seat, voice"):
        engine("ears", "fake")


def test_a_missing_package_names_the_command(monkeypatch):
    spec = EngineSpec("no_such_package:Engine", "pip install no-such-package")
    monkeypatch.setitem(registry.ENGINES["asr"], "absent", spec)
    with pytest.raises(
        EnvironmentFault, match=r"needs no_such_package\. Install it: pip install no-such-package"
    ):
        engine("asr", "absent")


def test_engines_are_imported_without_their_heavy_libraries():
    heavy = ["faster_whisper", "llama_cpp", "onnxruntime", "piper", "pipecat"]
    code = (
        "import sys; from stages.registry import ENGINES, engine\n"
        "[engine(kind, name) for kind in ENGINES for name in ENGINES[kind]]\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
