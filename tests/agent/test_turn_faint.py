"""Faint windows: voice activity still finds voice, the level does not."""

from __future__ import annotations

from agent.turn import (
    Audible,
    Commit,
    Draft,
    Heard,
    Open,
    Phase,
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
from agent.turn_events import Action

W = 32.0
RULES = Rules(hold_ms=lambda known: 64.0 if known.audio and known.audio[-1] >= 0.9 else 1400.0)


class Runner:
    def __init__(self) -> None:
        self.state = State()

    def send(self, event: object) -> list[Action]:
        self.state, actions = step(self.state, event, RULES)  # type: ignore[arg-type]
        return list(actions)

    def windows(self, kinds: str) -> list[Action]:
        """``v`` voice, ``f`` faint, ``-`` silence."""
        got: list[Action] = []
        for kind in kinds:
            got += self.send(Window(self.state.position_ms + W, kind != "-", faint=kind == "f"))
        return got

    def committed(self) -> None:
        self.windows("vvvvvvvvvvff--")
        self.send(Scored(1, 320.0, 0.97))
        self.send(Heard(1, 320.0, "Hello."))
        assert self.state.phase is Phase.COMMITTED


def test_the_words_are_read_from_the_levels_fall_on_and_voice_activity_decides() -> None:
    run = Runner()
    assert run.windows("vvvvvvvvvvff") == [Open(1, 0.0), Read(1, 320.0)]
    got = run.send(Heard(1, 320.0, "Hello."))
    assert [type(action) for action in got] == [Draft, ScoreWords]
    assert run.windows("f-") == []
    assert run.windows("-") == [Score(1, 320.0)]
    committed = run.send(Scored(1, 320.0, 0.97))
    assert [action.covers_ms for action in committed if isinstance(action, Commit)] == [320.0]
    assert run.state.last_voiced_ms == 416.0


def test_a_dip_of_the_level_is_no_pause() -> None:
    run = Runner()
    run.windows("vvvvvvvvvvff")
    run.send(Heard(1, 320.0, "Hello."))
    assert run.windows("vv") == [Withdraw(1, 1, "resumed")]
    assert run.state.phase is Phase.SPEAKING
    assert run.state.pauses_ms == ()


def test_one_loud_window_in_the_tail_does_not_resume() -> None:
    run = Runner()
    run.windows("vvvvvvvvvvffvf")
    assert run.state.phase is Phase.PAUSED
    assert (run.state.covers_ms, run.state.last_voiced_ms) == (320.0, 448.0)


def test_what_stays_faint_for_long_was_soft_speech_and_is_read() -> None:
    run = Runner()
    run.windows("vvvvvvvvvvff")
    run.send(Heard(1, 320.0, "Hello."))
    got = run.windows("ffffff--")
    assert Withdraw(1, 1, "resumed") in got
    assert [action for action in got if isinstance(action, Read)] == [Read(1, 576.0)]
    run.send(Heard(1, 320.0, "Hello."))  # news of what was read before
    assert run.state.heard is None


def test_while_it_fades_the_sound_is_not_asked_about() -> None:
    run = Runner()
    assert run.windows("vvvvvvvvvv" + "f" * 40) == [Open(1, 0.0), Read(1, 320.0)]


def test_a_caller_who_goes_on_takes_it_back() -> None:
    run = Runner()
    run.committed()
    assert [action for action in run.windows("vv") if isinstance(action, Withdraw)] == [
        Withdraw(1, 1, "reopened")
    ]


def test_a_stop_consonant_does_not_break_a_barge_in() -> None:
    run = Runner()
    run.committed()
    run.send(Audible(1))
    run.windows("-" * 60)
    assert run.windows("vvvfvv")[0] == Withdraw(1, 1, "barge_in")
