from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.council.stops import StopFilter

TEXT = st.text("ab.", max_size=12)


def passed(parts: list[str], stops: list[str]) -> tuple[str, bool]:
    one = StopFilter(stops)
    said = "".join(one.feed(part) for part in parts)
    return said + ("" if one.stopped else one.finish()), one.stopped


@given(st.lists(TEXT, max_size=6), st.lists(st.text("ab.", min_size=1, max_size=3), max_size=3))
def test_the_text_before_the_first_stop_is_passed_however_it_is_cut(parts, stops):
    whole = "".join(parts)
    cuts = [whole.find(stop) for stop in stops if stop in whole]
    assert passed(parts, stops) == (whole[: min(cuts)] if cuts else whole, bool(cuts))


def test_what_may_begin_a_stop_is_held_and_the_rest_is_not():
    one = StopFilter(["\n\n"])
    assert one.feed("Nine.\n") == "Nine."
    assert one.feed("Five.") == "\nFive."
