"""The command line as a user meets it: help, errors in one line, exit codes."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from agent.cli import app as root
from agent.cli import failure
from agent.cli.lazy import Entry
from agent.errors import AgentError
from stages.errors import Aborted, EnvironmentFault, InputError

MAIN = Path(__file__).resolve().parents[3] / "main.py"
HEAVY = ("pipecat", "numpy", "onnxruntime", "ctranslate2", "llama_cpp", "piper", "pydantic", "loguru", "yaml")


def run_main(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(MAIN), *args],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **env},
        check=False,
    )


def listed(help_text: str) -> list[str]:
    box = help_text[help_text.index("─ Commands ") :]
    return re.findall(r"^│ (\w+) ", box, flags=re.MULTILINE)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """Runs a command that raises what it is given, through the real root; returns the exit code."""

    def run(exc: BaseException) -> int:
        def fail() -> None:
            raise exc

        monkeypatch.setattr(root, "COMMANDS", (Entry("config", "Fail.", "agent.cli.config", "fail"),))
        monkeypatch.setattr("agent.cli.config.fail", fail, raising=False)
        return root.run(["config"])

    return run


def test_help_lists_exactly_the_commands_that_are_there() -> None:
    there = [entry.name for entry in root.COMMANDS if entry.exists()]
    done = run_main("--help")
    assert done.returncode == 0
    assert listed(done.stdout) == there
    examples = set(re.findall(r"main\.py (\w+)", done.stdout))
    assert examples == set(there)


def test_a_command_without_its_module_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = (
        Entry("config", "There.", "agent.cli.config"),
        Entry("calls", "Not there.", "agent.cli.no_such_module"),
    )
    monkeypatch.setattr(root, "COMMANDS", entries)
    assert root.run(["--help"]) == 0
    assert listed(capsys.readouterr().out) == ["config"]
    assert root.run(["calls"]) == 2
    assert capsys.readouterr().err.startswith("error: No such command 'calls'.")


def test_no_arguments_teach() -> None:
    done = run_main()
    assert done.returncode == 0
    assert done.stdout.rstrip() == run_main("--help").stdout.rstrip()
    assert "Exit codes" in done.stdout


def test_every_command_has_a_help() -> None:
    for entry in root.COMMANDS:
        if entry.exists():
            done = run_main(entry.name, "--help")
            assert done.returncode == 0, done.stderr
            assert f"main.py {entry.name}" in done.stdout


def test_help_imports_nothing_heavy() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(MAIN.parent)!r}); sys.argv = ['main.py', '--help']\n"
        "import main\n"
        "assert main.main() == 0\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_the_thread_pools_of_libraries_are_held_before_they_load() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(MAIN.parent)!r}); import main, os\n"
        "main.prepare_environment(debug=False)\n"
        "names = ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'LOGURU_LEVEL', 'PIPECAT_LOG_LLM_CONTEXT')\n"
        "print(*(os.environ[name] for name in names), 'numpy' in sys.modules)"
    )
    env = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS") and k != "LOGURU_LEVEL"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=env, check=False
    )
    assert done.stdout == "1 1 ERROR off False\n"


def test_outside_the_environment_it_says_how_to_make_one() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-E", str(MAIN), "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"error: the package typer is not installed for {sys.executable}.",
        "hint: run `make venv` once, then `.venv/bin/python main.py`.",
    ]


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (
            ["confg"],
            [
                "error: No such command 'confg'. Did you mean 'config'?",
                "hint: `main.py --help` shows what it takes.",
            ],
        ),
        (
            ["config", "check", "--sett", "x=1"],
            [
                "error: No such option: --sett (Possible options: --set)",
                "hint: `main.py config check --help` shows what it takes.",
            ],
        ),
        (
            ["config", "check", "none.yaml", "--set"],
            [
                "error: Option '--set' requires an argument.",
            ],
        ),
        (
            ["config", "explain"],
            [
                "error: Missing argument 'key'.",
                "hint: `main.py config explain --help` shows what it takes.",
            ],
        ),
        (
            ["config", "explain", "asr.thread"],
            ["error: 'asr.thread' is not a key.", "hint: Did you mean asr.threads?"],
        ),
    ],
)
def test_a_wrong_line_is_answered_in_two(
    args: list[str], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert root.run(args) == 2
    out = capsys.readouterr()
    assert out.err.splitlines() == lines
    assert out.out == ""


@pytest.mark.parametrize(
    ("exc", "code", "lines"),
    [
        (AgentError("x", "Bad.", "Do this."), 2, ["error: Bad.", "hint: Do this."]),
        (
            AgentError("gate", "p50 is 712 ms, above 700.", exit_code=1),
            1,
            ["error: p50 is 712 ms, above 700."],
        ),
        (InputError("x", "Cut off.", "Send it again."), 2, ["error: Cut off.", "hint: Send it again."]),
        (EnvironmentFault("x", "No model."), 3, ["error: No model."]),
        (KeyboardInterrupt(), 130, ["error: interrupted."]),
        (Aborted(), 130, ["error: interrupted."]),
        (typer.Exit(1), 1, []),
        (
            OSError(errno.ENOSPC, "No space left on device", "out/x.wav"),
            3,
            ["error: out/x.wav: no space left on the disk.", "hint: Free some space, or write elsewhere."],
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "out"),
            3,
            ["error: out: not permitted (Permission denied).", "hint: Check the permissions of that path."],
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "a.wav"),
            2,
            ["error: a.wav: No such file or directory.", "hint: Check the path."],
        ),
        (
            MemoryError(),
            3,
            ["error: out of memory.", "hint: Choose smaller models, or close other programs."],
        ),
        (
            ModuleNotFoundError("No module named 'piper'", name="piper"),
            3,
            [
                f"error: the package piper is not installed for {sys.executable}.",
                "hint: Run `make venv`.",
            ],
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_every_kind_of_error_has_its_words_and_its_exit_code(
    exc: BaseException,
    code: int,
    lines: list[str],
    failing: Callable[[BaseException], int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert failing(exc) == code
    assert capsys.readouterr().err.splitlines() == lines


def test_a_bug_is_one_line_and_its_traceback_is_kept(
    failing: Callable[[BaseException], int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("platformdirs.user_log_path", lambda name: tmp_path / name)
    assert failing(ZeroDivisionError("division by zero\nand more")) == 3
    log = tmp_path / "budgie" / f"crash-{os.getpid()}.log"
    assert capsys.readouterr().err.splitlines() == [
        "error: this is a bug in Budgie, not a mistake of yours: ZeroDivisionError: division by zero",
        f"hint: The traceback is in {log}; please report it.",
    ]
    assert log.read_text().startswith("Traceback (most recent call last):")


def test_a_bug_on_a_full_disk_still_ends_in_one_line(
    failing: Callable[[BaseException], int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "budgie").touch()  # a file where the folder should be
    monkeypatch.setattr("platformdirs.user_log_path", lambda name: tmp_path / name)
    assert failing(ZeroDivisionError("x")) == 3
    assert capsys.readouterr().err.splitlines()[-1] == "hint: Run it again with --debug to see the traceback."


@pytest.mark.parametrize(
    "args", [("--debug", "config", "check", "no.yaml"), ("config", "check", "no.yaml", "--debug")]
)
def test_debug_shows_the_traceback_wherever_it_stands(args: tuple[str, ...], tmp_path: Path) -> None:
    done = run_main(*args)
    assert done.returncode == 2
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert done.stderr.splitlines()[-2].startswith("error: no.yaml does not exist.")
    assert "Traceback" not in run_main("config", "check", "no.yaml").stderr
    assert "Traceback" in run_main("config", "check", "no.yaml", BUDGIE_DEBUG="1").stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, str(MAIN), "config", "show"], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert done.returncode == failure.PIPE_CLOSED
    assert done.stderr == b""
