"""Every mistake in a configuration is named with its line, what was meant and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.config.load import load
from agent.errors import AgentError

HINT = "`main.py config explain KEY` tells what a key takes."

# (name, file, message with F for the file, hint)
BAD = [
    (
        "near_miss",
        "endpoint:\n  timeot_ms: 900\n",
        "F:2: endpoint.timeot_ms is not a key; did you mean endpoint.timeout_ms?",
        HINT,
    ),
    (
        "wrong_section",
        "timeout_ms: 900\n",
        "F:1: timeout_ms is not a key; did you mean endpoint.timeout_ms?",
        HINT,
    ),
    (
        "no_near_key",
        "compute:\n  quux: 1\n",
        "F:2: compute.quux is not a key; compute takes cores, nice, switch_interval_ms.",
        HINT,
    ),
    (
        "key_of_a_list_item",
        "endpoint:\n  points:\n    - {probability: 0.5, silence_ms: 100, x: 1}\n",
        "F:3: endpoint.points.0.x is not a key; endpoint.points.0 takes probability, silence_ms.",
        HINT,
    ),
    (
        "wrong_type",
        "replay:\n  frame_ms: '20'\n",
        "F:2: replay.frame_ms must be a whole number from 10 to 100, not the text '20'.",
        HINT,
    ),
    (
        "truth_value_for_a_number",
        "replay:\n  tail_s: yes\n",
        "F:2: replay.tail_s must be a number from 0.5 to 60, not true.",
        HINT,
    ),
    (
        "out_of_range",
        "budget:\n  budget_ms: 20\n",
        "F:2: budget.budget_ms must be a number from 50 to 10000, not 20.",
        HINT,
    ),
    (
        "not_a_number",
        "endpoint:\n  vad_threshold: .nan\n",
        "F:2: endpoint.vad_threshold must be a number from 0.01 to 0.99, not nan.",
        HINT,
    ),
    (
        "negative_threads",
        "seats:\n  fast:\n    threads: -1\n",
        "F:3: seats.fast.threads must be a whole number from 1 to 64, not -1.",
        HINT,
    ),
    (
        "union",
        "compute:\n  cores: all\n",
        "F:2: compute.cores must be a whole number from 1 to 1024, or auto, not the text 'all'.",
        HINT,
    ),
    (
        "value_for_a_section",
        "budget: 500\n",
        "F:1: budget must be a section with the keys budget_ms, content_budget_ms, confidence, min_gap_ms, "
        "price_cap, give_up_ms, ..., not 500.",
        HINT,
    ),
    (
        "section_for_a_value",
        "persona: {name: x}\n",
        "F:1: persona must be text that is not empty, not a section.",
        HINT,
    ),
    (
        "missing_key",
        "endpoint:\n  points:\n    - {silence_ms: 100}\n",
        "F:3: endpoint.points.0.probability is missing: a number from 0 to 1.",
        HINT,
    ),
    (
        "seat_name",
        "seats:\n  Fast Seat: {}\n",
        "F:2: seats.Fast Seat: the name must be of the form ^[a-z][a-z0-9_]*$.",
        HINT,
    ),
    (
        "duplicate",
        "compute:\n  nice: 1\n\n  nice: 2\n",
        "F:4: compute.nice is set twice (first on line 2).",
        "Keep one of them.",
    ),
    (
        "cap_above_cores",
        "compute: {cores: 2}\nasr:\n  threads: 4\n",
        "F:3: asr.threads is 4, above compute.cores (2).",
        "Lower the cap, or raise compute.cores.",
    ),
    (
        "schedule_order",
        "endpoint:\n  timeout_ms: 250\n",
        "F:1: endpoint: timeout_ms must not be below the last silence in points.",
        HINT,
    ),
    ("tab", "budget:\n\tbudget_ms: 500\n", "F:2: a tab where YAML wants spaces.", "Indent with spaces."),
    ("syntax", "a: [1\nb: 2\n", "F:2: not valid YAML: expected ',' or ']', but got ':'.", ""),
    (
        "two_documents",
        "budget: {}\n---\ncompute: {}\n",
        "F:2: not valid YAML: expected a single document in the stream, but found another document.",
        "",
    ),
    ("tag", "persona: !!python/name:os.system x\n", "F:1: not valid YAML: tags (!!name) are not taken.", ""),
    ("recursion", "a: &x [*x]\n", "F:1: not valid YAML: aliases that unfold without end.", ""),
    ("control", "persona: \x01\n", "F:1: the character U+0001 is not allowed in YAML.", ""),
    (
        "list",
        "# comment\n- 1\n",
        "F:2: the file must hold keys and values, not a list.",
        "Write `key: value` lines.",
    ),
    (
        "persona",
        "\npersona: bakery\n",
        "F:2: there is no persona 'bakery'.",
        "Shipped: bank, garage, shop; or name a .yaml file.",
    ),
]


@pytest.mark.parametrize(("text", "message", "hint"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_mistake_is_named_with_its_line_and_the_way_out(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    file = tmp_path / "my.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(AgentError) as caught:
        load(file)
    assert caught.value.message == message.replace("F:", f"{file}:")
    assert caught.value.hint == hint
    assert caught.value.exit_code == 2


def test_all_mistakes_of_a_file_come_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("asr:\n  threads: 0\n  threads: 1\n  threds: 2\nbudget:\n  budget_ms: soon\n")
    with pytest.raises(AgentError) as caught:
        load(file)
    assert caught.value.message.splitlines() == [
        f"{file} has 4 mistakes:",
        f"  {file}:2: asr.threads must be a whole number from 1 to 64, not 0.",
        f"  {file}:3: asr.threads is set twice (first on line 2).",
        f"  {file}:4: asr.threds is not a key; did you mean asr.threads?",
        f"  {file}:6: budget.budget_ms must be a number from 50 to 10000, not the text 'soon'.",
    ]


def test_a_missing_file_names_the_files_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "telephony.yaml").touch()
    (tmp_path / "notes.txt").touch()
    with pytest.raises(AgentError) as caught:
        load(tmp_path / "telefony.yaml")
    assert caught.value.message == f"{tmp_path / 'telefony.yaml'} does not exist."
    assert caught.value.hint == f"Did you mean {tmp_path / 'telephony.yaml'}?"


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="is a folder, not a file"):
        load(tmp_path)


def test_other_encodings_are_refused_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_bytes(b"persona: bank\n# caf\xe9\n")
    with pytest.raises(AgentError) as caught:
        load(file)
    assert caught.value.message == f"{file}:2: not UTF-8 (byte 0xe9)."


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_bytes(b"\xef\xbb\xbfcompute: {nice: 7}\n")
    assert load(file).config.compute.nice == 7


def test_aliases_that_multiply_are_stopped(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    file = tmp_path / "my.yaml"
    file.write_text("\n".join(lines))
    with pytest.raises(AgentError, match="aliases that unfold without end"):
        load(file)


SETS = [
    ("asr.threads=0", "--set asr.threads: asr.threads must be a whole number from 1 to 64, not 0."),
    ("asr.treads=1", "--set asr.treads: asr.treads is not a key; did you mean asr.threads?"),
    ("asr.threads", "--set asr.threads: not of the form KEY=VALUE."),
    ("asr..threads=1", "--set asr..threads=1: not of the form KEY=VALUE."),
    ("asr.threads=[", "--set asr.threads: '[' is not a YAML value."),
    ("asr.threads.x=1", "--set asr.threads.x: threads has no keys below it; set it whole."),
]


@pytest.mark.parametrize(("override", "message"), SETS, ids=[row[0] for row in SETS])
def test_an_override_is_checked_like_a_file(override: str, message: str) -> None:
    with pytest.raises(AgentError) as caught:
        load(None, [override])
    assert caught.value.message == message


def test_a_persona_is_checked_like_a_config(tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text("name: Kim\nrole: a shop.\nfact:\n  - We are open.\n")
    file = tmp_path / "my.yaml"
    file.write_text("persona: shop.yaml\n")
    with pytest.raises(AgentError) as caught:
        load(file)
    persona = tmp_path / "shop.yaml"
    assert caught.value.message.splitlines()[0] == f"{persona} has 6 mistakes:"
    assert f"  {persona}:3: fact is not a key; did you mean facts?" in caught.value.message.splitlines()
