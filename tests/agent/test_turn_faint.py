"""Faint windows: voice activity still finds voice, the level does not."""

from __future__ import annotations

from agent.turn import (
    Audible,
    Commit,
    Heard,
    Open,
    Phase,
    Read,
    Rules,
    Score,
    Scored,
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
        self.windows("vvvvvvvvvvff")
        self.send(Scored(1, 320.0, 0.97))
        self.send(Heard(1, 320.0, "Hello."))
        assert self.state.phase is Phase.COMMITTED


def test_silence_is_counted_from_the_first_faint_window() -> None:
    run = Runner()
    assert run.windows("vvvvvvvvvvff") == [Open(1, 0.0), Read(1, 320.0), Score(1, 320.0)]
    run.send(Scored(1, 320.0, 0.97))
    got = run.send(Heard(1, 320.0, "Hello."))
    assert [action.covers_ms for action in got if isinstance(action, Commit)] == [320.0]


def test_the_turns_own_tail_does_not_take_the_reply_back() -> None:
    run = Runner()
    run.committed()
    assert run.windows("ffffff---") == []
    assert run.state.phase is Phase.COMMITTED


def test_a_caller_who_goes_on_takes_it_back() -> None:
    run = Runner()
    run.committed()
    assert [action for action in run.windows("fvv") if isinstance(action, Withdraw)] == [
        Withdraw(1, 1, "reopened")
    ]


def test_a_stop_consonant_does_not_break_a_barge_in() -> None:
    run = Runner()
    run.committed()
    run.send(Audible(1))
    run.windows("-" * 60)
    assert run.windows("vvvfvv")[0] == Withdraw(1, 1, "barge_in")


def test_faint_windows_alone_open_nothing() -> None:
    run = Runner()
    assert run.windows("f" * 30) == []
    assert run.state.phase is Phase.IDLE
