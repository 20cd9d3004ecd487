"""Put llama-cpp-python into this environment: built once for this processor, taken from a cache afterwards.

    python -m tools.build_llama

Standard library only. The wheel is kept in ``$XDG_CACHE_HOME/budgie/wheels/``, in a folder named for the
version, the flags, the processor and the Python.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.doctor.cpu import Cpu, this_cpu
from agent.models.llama_build import STAMP
from agent.models.places import cache_root
from tools.llama_flags import build_key, cmake_flags, cmake_include, parse_overrides

ROOT = Path(__file__).resolve().parent.parent
PIN = ROOT / "requirements" / "llama.txt"
BUILD_REQUIREMENTS = ROOT / "requirements" / "build.txt"
NEEDED_BYTES = 1_200_000_000
"""The build tools, the unpacked source and the objects, with room to spare."""

_STEP = re.compile(r"\[(\d+)/(\d+)\] ")


class BuildFailed(Exception):  # noqa: N818 - the name says it
    """The wheel cannot be built here; the text says why and what to do."""


def say(text: str) -> None:
    """One line of progress, on stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def pinned_version(text: str) -> str:
    """The version in requirements/llama.txt."""
    found = re.search(r"^llama-cpp-python==(\S+)", text, re.MULTILINE)
    if not found:
        raise BuildFailed(f"{PIN.name} pins no llama-cpp-python==VERSION.")
    return found.group(1)


def progress(lines: Iterable[str], elapsed_s: Iterator[float]) -> Iterator[str]:
    """What to show for the build's output: ninja's ``[n/N]`` about every tenth, with the minutes so far."""
    shown = -1
    for line in lines:
        if not (step := _STEP.search(line)):
            continue
        done, total = int(step.group(1)), int(step.group(2))
        if done == total or done * 10 // total > shown:
            shown = done * 10 // total
            minutes, seconds = divmod(int(next(elapsed_s)), 60)
            yield f"  compiled {done} of {total} files, {minutes} min {seconds:02d} s"


def check_tools(which: dict[str, str | None], free_bytes: int, where: Path) -> None:
    """Raise BuildFailed when a compiler or disk space is missing."""
    missing = [name for name, path in which.items() if path is None]
    if missing:
        hint = (
            "xcode-select --install" if platform.system() == "Darwin" else "apt-get install build-essential"
        )
        raise BuildFailed(f"No {' and no '.join(missing)} found, which llama.cpp needs. Try: {hint}")
    if free_bytes < NEEDED_BYTES:
        raise BuildFailed(
            f"Building llama.cpp needs {NEEDED_BYTES / 1e9:.1f} GB for a few minutes; "
            f"{where} has {free_bytes / 1e9:.1f} GB. Free some, or set XDG_CACHE_HOME to a larger disk."
        )


def compilers() -> dict[str, str | None]:
    """The C and the C++ compiler that CMake would find: CC and CXX, or the usual names."""

    def first(names: list[str | None]) -> str | None:
        return next((path for name in names if name and (path := shutil.which(name.split()[0]))), None)

    return {
        "C compiler": first([os.environ.get("CC"), "cc", "gcc", "clang"]),
        "C++ compiler": first([os.environ.get("CXX"), "c++", "g++", "clang++"]),
    }


def _run_logged(command: list[str], log: Path, env: dict[str, str], *, show: bool) -> None:
    started = time.monotonic()
    clock = iter(lambda: time.monotonic() - started, None)
    with log.open("a") as out:
        out.write(f"$ {' '.join(command)}\n")
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=env
        )
        assert process.stdout is not None

        def tee() -> Iterator[str]:
            for line in process.stdout or ():
                out.write(line)
                yield line

        try:
            for text in progress(tee(), clock):
                if show:
                    say(text)
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
    if process.returncode != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise BuildFailed(
            f"Building llama-cpp-python failed. The log's last lines:\n{tail}\nAll of it: {log}"
        )


def build(folder: Path, flags: dict[str, str]) -> None:
    """Build the wheel into ``folder``, which appears complete or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    check_tools(compilers(), shutil.disk_usage(folder.parent).free, folder.parent)
    log = cache_root() / "logs" / "llama-build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as name:
        temp = Path(name)
        say("Fetching the build tools and the source (about 120 MB) ...")
        _run_logged([sys.executable, "-m", "venv", str(temp / "venv")], log, dict(os.environ), show=False)
        python = str(temp / "venv" / "bin" / "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        tools = ["--require-hashes", "--only-binary=:all:", "-r", str(BUILD_REQUIREMENTS)]
        _run_logged([*pip, "install", "-q", *tools], log, dict(os.environ), show=False)
        include = temp / "flags.cmake"
        include.write_text(cmake_include(flags))
        env = dict(os.environ)
        env["CMAKE_ARGS"] = f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={include}"
        env["CMAKE_GENERATOR"] = "Ninja"
        env["PATH"] = f"{temp / 'venv' / 'bin'}{os.pathsep}{env.get('PATH', '')}"
        env["TMPDIR"] = name
        # No cache of pip's own: it would hand out a wheel that was built with other flags.
        source = ["--no-cache-dir", "--no-binary=llama-cpp-python", "--require-hashes", "-r", str(PIN)]
        wheel = [*pip, "wheel", "-v", "--no-deps", "--no-build-isolation", *source, "-w", str(temp / "out")]
        say(f"Compiling llama.cpp for this processor: {expected_minutes()}; once, then it is kept.")
        _run_logged(wheel, log, env, show=True)
        (temp / "out" / "flags.json").write_text(json.dumps(flags, indent=1, sort_keys=True))
        if not folder.exists():
            (temp / "out").rename(folder)


def expected_minutes() -> str:
    """How long the compilation will take: about five core minutes on a server core of 2024."""
    minutes = 5 / (os.cpu_count() or 1)
    return f"about {minutes:.0f} to {2 * minutes:.0f} minutes" if minutes >= 1 else "a minute or two"


def find_wheel(folder: Path) -> Path | None:
    """The finished wheel in a cache folder, if there is one."""
    return next(iter(folder.glob("*.whl")), None)


def installed(stamp: Path, key: str) -> bool:
    """Whether this environment already holds the build named ``key``."""
    try:
        same = json.loads(stamp.read_text())["key"] == key
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return same and any(Path(entry, "llama_cpp").is_dir() for entry in sys.path)


def install(wheel: Path, stamp: Path, key: str, cpu: Cpu, flags: dict[str, str]) -> None:
    """Put ``wheel`` into this environment and note which build it is."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
    ]
    done = subprocess.run(
        [*command, "--force-reinstall", str(wheel)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BuildFailed(f"{wheel.name} cannot be installed: {done.stderr.strip()}")
    record = {"key": key, "flags": flags, "cpu": cpu.model, "wheel": str(wheel)}
    stamp.write_text(json.dumps(record, indent=1, sort_keys=True))


def main() -> int:
    """Make sure that this environment has llama-cpp-python for this processor."""
    if sys.prefix == sys.base_prefix:
        say("Run this inside a virtual environment: make venv")
        return 2
    try:
        cpu = this_cpu()
        flags = cmake_flags(cpu, parse_overrides(os.environ.get("BUDGIE_LLAMA_FLAGS", "")))
        version = pinned_version(PIN.read_text())
        key = build_key(version, flags, cpu, sys.implementation.cache_tag or "python")
        stamp, folder = Path(sys.prefix) / STAMP, cache_root() / "wheels" / key
        if installed(stamp, key):
            say(f"llama-cpp-python {version} is in place.")
            return 0
        if not find_wheel(folder):
            build(folder, flags)
        wheel = find_wheel(folder)
        if wheel is None:
            raise BuildFailed(f"{folder} holds no wheel. Delete that folder and try again.")
        say(f"Installing {wheel.name} ({key}).")
        install(wheel, stamp, key, cpu, flags)
    except (BuildFailed, ValueError, OSError) as error:
        say(f"error: {error}")
        return 3
    except KeyboardInterrupt:
        say("Stopped; nothing half-made is left behind.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
