"""Likely replies from past calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from agent.prepare.learned import learned_yaml, summary
from agent.prepare.leave_one_out import guesses, precision
from agent.prepare.lines import Line, Talk, read_talks
from agent.prepare.mining import mine, moves, same_reply, usual_lines
from agent.prepare.replies import ReplySet
from agent.prepare.similar import likeness, plain, wish, with_slots
from stages.errors import InputError


def talk(name: str, *lines: str) -> Talk:
    """Caller lines begin with "c:"; a bar ends a segment."""
    return Talk(
        name,
        tuple(
            Line("caller" if line.startswith("c:") else "agent", tuple(line.removeprefix("c:").split("|")))
            for line in lines
        ),
    )


def parcel(name: str, number: str, thanks: str = "c:no thank you") -> Talk:
    return talk(
        name,
        "hello how can i help you today",
        "c:where is my parcel",
        "okay|what is the parcel number",
        f"c:it is {number}",
        f"parcel {number} comes tomorrow|is there anything else i can help you with",
        thanks,
        "thank you for calling have a nice day",
    )


TALKS = [
    parcel("a", "forty one"),
    parcel("b", "seventy"),
    parcel("c", "12"),
    parcel("d", "nine", "c:no that is all"),
]


def test_words_in_one_form() -> None:
    assert plain("Okay, so I owe a hundred and six dollars.") == ("i", "owe", "{amount}")
    assert plain("hi my name is linda brown i lost my card")[:4] == ("hi", "my", "name", "is")
    assert "linda" not in plain("hi my name is linda brown i lost my card")
    assert "brown" not in plain("hi my name is linda brown i lost my card")


def test_the_words_that_carry_the_meaning_decide() -> None:
    bill, transfer = plain("what is the bill amount"), plain("and what is the transfer amount")
    assert likeness(bill, transfer) == pytest.approx(0.5)
    assert likeness(bill, plain("okay and what's your bill amount")) == 1.0
    assert likeness(bill, plain("goodbye")) == 0.0


def test_a_word_that_changes_from_call_to_call_is_a_slot() -> None:
    forms = [plain(f"we sent it to {town} street") for town in ("oxford", "main", "church")]
    assert " ".join(with_slots(forms, forms[0])) == "we sent it to {value} street"
    assert with_slots([plain("we sent it to oxford street today")], forms[0]) == forms[0]


def test_a_reply_is_what_the_caller_waits_for() -> None:
    found = list(moves(TALKS[0]))
    assert [move.reply for move in found] == [
        "what is the parcel number",
        "parcel forty one comes tomorrow",
        "thank you for calling have a nice day",
    ]
    assert [move.state for move in found] == [
        "hello how can i help you today",
        "what is the parcel number",
        "is there anything else i can help you with",
    ]


def test_a_usual_line_is_its_own_also_in_one_breath_with_others() -> None:
    joined = talk("x", "hello", "c:hi", "it comes today is there anything else i can help you with")
    usual = usual_lines(TALKS)
    assert "is there anything else i can help you with" in usual
    assert next(moves(joined, usual)).reply == "it comes today"


def test_templates_come_with_counts_slots_and_what_was_said_before() -> None:
    replies = {one.text: one for one in mine(TALKS).templates}
    assert replies["thank you for calling have a nice day"].count == 4
    assert replies["what is the parcel number"].after == ("where is my parcel",)
    assert replies["parcel {number} come tomorrow"].slots == ("number",)
    assert not [text for text in replies if any(value in text for value in ("41", "70", "12", "forty"))]


def test_the_usual_reply_to_manners_is_marked_as_one() -> None:
    by_text = {one.text: one for one in mine(TALKS).templates}
    assert by_text["thank you for calling have a nice day"].when == ("farewell",)
    assert by_text["thank you for calling have a nice day"].after == ()
    assert by_text["what is the parcel number"].when == ()


def test_a_reply_fits_where_it_does_the_same() -> None:
    assert same_reply("Alright, which account would you like to check?", "which account do you want to check")
    assert same_reply("okay have a great day", "Thank you for calling. Goodbye.")
    assert same_reply("Any other question?", "is there anything else i can help you with")
    assert not same_reply("how can i help you today", "i can help you with that")
    assert not same_reply("which card would you like to replace", "which account would you like to check")


def test_a_callers_wish_is_told_without_greeting_and_name() -> None:
    assert wish("hi my name is linda brown i lost my card") == wish("i lost my card")
    assert wish("hello") == plain("hello")
    assert plain("which one would you like") == plain("which would you like")


def test_what_was_said_in_one_call_only_is_nobodys_habit() -> None:
    strange = talk("e", "hello", "c:my code is one two", "the code of mister grey is twelve")
    strange = Talk("e", strange.lines * 3)
    assert not [one for one in mine([*TALKS, strange]).templates if "grey" in one.text]


def test_each_call_is_predicted_from_the_others() -> None:
    found = guesses(TALKS)
    assert len(found) == 12
    fits, taken = precision(found, 0.5)
    # The answers with a number in them are no guess that could be said; "no that is all" was heard once, but it is
    # the same manners as "no thank you".
    assert (fits.hits, fits.count, taken.count) == (8, 8, 12)
    assert precision(found, 1.1)[0].value is None


def test_the_file_for_review_loads_as_it_is() -> None:
    replies, found = mine(TALKS), guesses(TALKS)
    text = learned_yaml(replies, "shop", TALKS, found)
    assert text.startswith("# Replies that agents gave in 4 calls, for the persona shop.")
    assert ReplySet.model_validate_json(json.dumps(yaml.safe_load(text))) == replies
    assert "chance >= 0.5: 8 of 8 (100%, 68% to 100%) fit, of 8 of 12" in summary(replies, TALKS, found)


def test_calls_and_dialogues_are_read(tmp_path: Path) -> None:
    said = [
        {"role": "agent", "text": "hello"},
        {"role": "caller", "text": "hi"},
        {"role": "caller", "text": "there"},
    ]
    (tmp_path / "one.call.json").write_text(json.dumps({"turns": said}))
    (tmp_path / "two.json").write_text(json.dumps({"segments": [*said, {"role": "agent", "text": " "}]}))
    (tmp_path / "index.json").write_text(json.dumps([1, 2]))
    talks = read_talks([tmp_path])
    assert [one.name for one in talks] == ["one", "two"]
    assert talks[0].lines == talks[1].lines == (Line("agent", ("hello",)), Line("caller", ("hi", "there")))


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_files_without_words_are_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError):
        read_talks([tmp_path / "x.json"])


@pytest.mark.calls
def test_the_real_dialogues_give_replies_without_anybodys_name(calls_dir: Path) -> None:
    replies = mine(read_talks([calls_dir / "dialogues"]))
    assert replies.templates[0].text == "thank you for calling have a great day"
    said = " ".join(text for one in replies.templates for text in (one.text, *one.after))
    assert not [
        name for name in ("linda", "brown", "davis", "smith", "miller", "jones") if name in said.split()
    ]
