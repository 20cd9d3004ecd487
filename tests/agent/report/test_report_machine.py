import platform
from pathlib import Path

from agent.report.machine import cpu_name, machine_facts


def test_the_machine_is_described_without_host_and_user() -> None:
    found = machine_facts()
    assert found.cores >= 1
    assert found.python.endswith(platform.python_version())
    assert found.libraries["pipecat-ai"].startswith("1.")
    text = found.model_dump_json()
    for private in (platform.node(), str(Path.home())):
        assert private in ("", "/") or private not in text


def test_the_cpu_name_is_read_from_cpuinfo(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Fast   CPU @ 2.0GHz\nflags: avx2\n")
    assert cpu_name(cpuinfo) == "Fast CPU @ 2.0GHz"


def test_without_cpuinfo_there_is_still_a_name(tmp_path: Path) -> None:
    assert cpu_name(tmp_path / "none")
