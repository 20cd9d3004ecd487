from __future__ import annotations

from stages.asr.words import with_marks
from stages.contract import Word


def test_marks_that_stand_alone_belong_to_the_word_before():
    words = [
        Word("Well", 0, 200, 0.9),
        Word(",", 200, 210, 0.5),
        Word("yes", 210, 400, 0.8),
        Word("?!", 400, 400, 0.1),
    ]
    assert with_marks(words) == [Word("Well,", 0, 200, 0.9), Word("yes?!", 210, 400, 0.8)]


def test_a_mark_in_front_stays_and_nothing_is_left_out():
    assert with_marks([Word("$", 0, 10, 0.4), Word("", 10, 10, 0.0), Word("5", 10, 90, 0.9)]) == [
        Word("$", 0, 10, 0.4),
        Word("5", 10, 90, 0.9),
    ]
