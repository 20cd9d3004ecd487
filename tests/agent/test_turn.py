"""Turn taking, by exact positions."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.turn import (
    Action,
    Audible,
    Commit,
    Draft,
    Drop,
    Event,
    Heard,
    Known,
    Open,
    Phase,
    Played,
    Read,
    Rules,
    Score,
    Scored,
    ScoreWords,
    State,
    Window,
    Withdraw,
    step,
)

W = 32.0


def hold(known: Known) -> float:
    probability = known.audio[-1] if known.audio else None
    if probability is None:
        return 1400.0
    return 64.0 if probability >= 0.9 else 320.0 if probability >= 0.5 else 1400.0


RULES = Rules(hold_ms=hold)


class Runner:
    """Feeds windows and news; keeps every action."""

    def __init__(self) -> None:
        self.state = State()
        self.actions: list[Action] = []

    def send(self, event: Event) -> list[Action]:
        self.state, actions = step(self.state, event, RULES)
        self.actions += actions
        return list(actions)

    def windows(self, count: int, voiced: bool) -> list[Action]:
        got: list[Action] = []
        for _ in range(count):
            got += self.send(Window(self.state.position_ms + W, voiced))
        return got

    def says(self, windows: int, text: str, probability: float) -> list[Action]:
        """A whole utterance with its news, until the agent commits."""
        self.windows(windows, True)
        got = self.windows(2, False)
        covers = self.state.last_voiced_ms
        got += self.send(Heard(self.state.turn, covers, text))
        got += self.send(Scored(self.state.turn, covers, probability))
        return got


def test_a_turn_opens_after_lasting_voice_and_starts_where_the_voice_did() -> None:
    run = Runner()
    run.windows(3, False)
    assert run.windows(2, True) == []
    assert run.windows(1, True) == [Open(1, 96.0)]


def test_a_click_opens_nothing() -> None:
    run = Runner()
    for _ in range(10):
        run.windows(2, True)
        run.windows(1, False)
    assert run.actions == []


def test_a_sure_end_commits_as_soon_as_the_words_are_there() -> None:
    run = Runner()
    run.windows(10, True)
    assert run.windows(2, False) == [Read(1, 320.0), Score(1, 320.0)]
    assert run.send(Scored(1, 320.0, 0.97)) == []
    got = run.send(Heard(1, 320.0, "Hello."))
    why = "sound 0.97: 64 ms of silence needed, 64 ms seen"
    assert got == [
        Draft(1, 1, "Hello.", 320.0),
        Commit(1, 1, "Hello.", 320.0, why),
    ]
    assert run.state.phase is Phase.COMMITTED


def test_a_reply_is_drafted_in_the_silence_and_released_by_the_commit() -> None:
    run = Runner()
    run.says(10, "Five five five", 0.6)
    assert [a for a in run.actions if isinstance(a, Draft)] == [Draft(1, 1, "Five five five", 320.0)]
    commits = [a for a in run.windows(20, False) if isinstance(a, Commit)]
    assert [c.reply for c in commits] == [1]


def test_a_draft_is_taken_back_unheard_when_the_caller_goes_on() -> None:
    run = Runner()
    run.says(10, "Five five five", 0.6)
    assert run.windows(2, True) == [Withdraw(1, 1, "resumed")]
    assert run.windows(5, True) == []
    run.windows(2, False)
    got = run.send(Heard(1, run.state.last_voiced_ms, "Five five five one two"))
    covers = run.state.last_voiced_ms
    assert got == [
        Draft(1, 2, "Five five five one two", covers),
        ScoreWords(1, covers, "Five five five one two"),
    ]


def test_an_unsure_end_waits_for_its_silence() -> None:
    run = Runner()
    assert not [a for a in run.says(10, "Five five five", 0.6) if isinstance(a, Commit)]
    got = run.windows(20, False)
    commits = [a for a in got if isinstance(a, Commit)]
    assert commits[0].why == "sound 0.60: 320 ms of silence needed, 320 ms seen"


def test_an_unfinished_turn_waits_for_the_time_out() -> None:
    run = Runner()
    run.says(10, "and, um,", 0.02)
    run.windows(41, False)
    assert run.state.phase is Phase.PAUSED
    run.windows(1, False)
    assert run.state.phase is Phase.COMMITTED
    assert run.state.position_ms - run.state.last_voiced_ms == 1408.0


def test_the_turn_end_model_is_asked_again_while_the_silence_lasts() -> None:
    run = Runner()
    run.windows(10, True)
    asked = [a for a in run.windows(11, False) if isinstance(a, Score)]
    assert len(asked) == 4  # at 64, 160, 256 and 352 ms


def test_a_pause_that_ends_makes_its_words_and_score_old_news() -> None:
    run = Runner()
    run.windows(10, True)
    run.windows(3, False)
    run.windows(3, True)
    assert run.send(Heard(1, 320.0, "My number is")) == []
    assert run.send(Scored(1, 320.0, 0.99)) == []
    assert run.state.phase is Phase.SPEAKING
    assert run.state.stale == 2


def test_one_voiced_window_in_a_pause_is_a_breath() -> None:
    run = Runner()
    run.windows(10, True)
    run.windows(2, False)
    run.windows(1, True)
    run.windows(1, False)
    assert run.state.phase is Phase.PAUSED
    assert run.state.last_voiced_ms == 320.0


def test_going_on_before_the_reply_is_heard_reopens_the_same_turn() -> None:
    run = Runner()
    run.says(10, "I want to", 0.95)
    assert run.windows(1, True) == []
    assert run.windows(1, True) == [Withdraw(1, 1, "reopened")]
    assert run.state.turn == 1
    run.windows(5, True)
    got = run.windows(2, False)
    assert got[0] == Read(1, run.state.last_voiced_ms)
    run.send(Heard(1, run.state.last_voiced_ms, "I want to go home."))
    got = run.send(Scored(1, run.state.last_voiced_ms, 0.95))
    why = "sound 0.95: 64 ms of silence needed, 64 ms seen"
    assert got == [Commit(1, 2, "I want to go home.", run.state.last_voiced_ms, why)]


def test_a_turn_that_was_waited_for_long_is_not_reopened_by_the_next_words() -> None:
    run = Runner()
    run.says(10, "I think so", 0.02)
    run.windows(60, False)
    assert run.state.phase is Phase.COMMITTED
    got = run.windows(6, True)
    assert got == [Withdraw(1, run.state.reply, "barge_in"), Open(2, run.state.start_ms)]


def test_speaking_over_a_reply_that_runs_is_a_barge_in_and_a_new_turn() -> None:
    run = Runner()
    run.says(10, "Hello.", 0.95)
    run.send(Audible(1))
    run.windows(60, False)
    got = run.windows(6, True)
    assert got == [Withdraw(1, 1, "barge_in"), Open(2, run.state.start_ms)]
    assert run.state.start_ms == run.state.position_ms - 192.0


def test_a_cough_over_a_reply_does_not_stop_it() -> None:
    run = Runner()
    run.says(10, "Hello.", 0.95)
    run.send(Audible(1))
    run.windows(60, False)
    assert run.windows(5, True) == []
    run.windows(1, False)
    assert run.state.phase is Phase.REPLYING


def test_noise_makes_no_turn_and_no_answer() -> None:
    run = Runner()
    run.windows(30, True)
    run.windows(2, False)
    run.send(Heard(1, run.state.last_voiced_ms, "", "no speech: score -1.9"))
    run.windows(50, False)
    assert run.actions[-1] == Drop(1, "no speech: score -1.9")
    assert run.state.phase is Phase.IDLE


def test_voice_that_gives_no_words_is_asked_for_again() -> None:
    run = Runner()
    run.windows(30, True)
    run.windows(2, False)
    run.send(Heard(1, run.state.last_voiced_ms, ""))
    got = run.send(Scored(1, run.state.last_voiced_ms, 0.95))
    assert got == [Commit(1, 1, "", 960.0, "voice, but no words")]


def test_a_recogniser_that_hangs_does_not_hang_the_turn() -> None:
    run = Runner()
    run.windows(30, True)
    run.windows(78, False)
    assert run.state.phase is Phase.PAUSED
    run.windows(1, False)
    assert run.actions[-1] == Commit(1, 1, "", 960.0, "the recogniser gave no answer in time")


def test_news_of_an_old_reply_is_dropped() -> None:
    run = Runner()
    run.says(10, "Hello.", 0.95)
    run.send(Played(1))
    run.says(10, "Bye.", 0.95)
    run.send(Played(1))
    assert run.state.phase is Phase.COMMITTED
    assert run.state.stale == 1


def test_twenty_barge_ins_give_twenty_answers() -> None:
    run = Runner()
    for _ in range(20):
        run.says(10, "Stop.", 0.95)
        run.send(Audible(run.state.reply))
        run.windows(60, False)
    commits = [a for a in run.actions if isinstance(a, Commit)]
    assert [c.turn for c in commits] == list(range(1, 21))
    assert len([a for a in run.actions if isinstance(a, Withdraw)]) == 19


EVENTS = st.one_of(
    st.tuples(st.just("windows"), st.integers(1, 40), st.booleans()),
    st.tuples(st.just("heard"), st.sampled_from(["", "yes", "no thank you"]), st.booleans()),
    st.tuples(st.just("scored"), st.floats(0, 1), st.booleans()),
    st.tuples(st.just("audible"), st.just(0), st.booleans()),
    st.tuples(st.just("played"), st.just(0), st.booleans()),
)


@settings(max_examples=300)
@given(st.lists(EVENTS, max_size=60))
def test_replies_and_turns_only_count_up_and_every_withdrawal_follows_its_commit(events: list[tuple]) -> None:  # type: ignore[type-arg]
    run = Runner()
    for kind, value, flag in events:
        turn = run.state.turn if flag else run.state.turn - 1
        covers = run.state.last_voiced_ms
        if kind == "windows":
            run.windows(value, flag)
        elif kind == "heard":
            run.send(Heard(turn, covers, value))
        elif kind == "scored":
            run.send(Scored(turn, covers, value))
        else:
            reply = run.state.reply if flag else run.state.reply - 1
            run.send(Audible(reply) if kind == "audible" else Played(reply))
    drafted = [a.reply for a in run.actions if isinstance(a, Draft)]
    commits = [a.reply for a in run.actions if isinstance(a, Commit)]
    assert sorted({*drafted, *commits}) == list(range(1, run.state.reply + 1))
    assert commits == sorted(set(commits))
    assert drafted == sorted(set(drafted))
    withdrawn = [a.reply for a in run.actions if isinstance(a, Withdraw)]
    assert withdrawn == sorted(set(withdrawn))
    assert set(withdrawn) <= {*drafted, *commits}
    opened = [a.turn for a in run.actions if isinstance(a, Open)]
    assert opened == list(range(1, len(opened) + 1))
    assert run.state.last_voiced_ms <= run.state.position_ms
    assert replace(run.state) == run.state
