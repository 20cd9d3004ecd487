"""The chosen devices are kept; a missing PortAudio is told with the package to install."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agent.errors import AgentError
from agent.talk.devices import Remembered, recall, remember
from agent.transports import sound_card


def test_a_choice_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "budgie" / "sound.json"
    assert recall(path) == Remembered()
    remember(path, Remembered(input="USB microphone", headphones=True))
    assert recall(path) == Remembered(input="USB microphone", headphones=True)


@pytest.mark.parametrize("text", ["", "[1]", '{"headphones": "maybe"}', "{"])
def test_a_broken_memory_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sound.json"
    path.write_text(text)
    assert recall(path) == Remembered()


def test_without_portaudio_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refuses:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Refuses(), *sys.meta_path])
    monkeypatch.setattr(sound_card.shutil, "which", lambda tool: "/usr/bin/dnf" if tool == "dnf" else None)
    with pytest.raises(AgentError) as caught:
        sound_card.load()
    assert caught.value.exit_code == 3
    assert caught.value.hint == "Install it: dnf install portaudio"
