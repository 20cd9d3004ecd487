"""Turn taking, pure: ``step(state, event, rules) -> (state, actions)``. No clock: positions in the audio are the time.

The caller's turn opens when voice lasts, pauses when it stops, and is committed when it has been silent for as long as
the turn-end model's probability demands and the words up to the pause are there. If the caller goes on soon after the
commit the turn is reopened with all its words; later, over an audible reply, it is a barge-in and a new turn.

The silence is not waited out idly: as soon as the words up to the pause are there, a reply is drafted; the commit
releases it, a caller who goes on takes it back unheard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Phase(StrEnum):
    """Where the conversation stands."""

    IDLE = "idle"
    SPEAKING = "speaking"
    PAUSED = "paused"
    COMMITTED = "committed"  # answered by the agent, nothing audible yet
    REPLYING = "replying"  # the reply is audible


@dataclass(frozen=True, slots=True)
class Rules:
    """Durations in milliseconds of audio. ``hold_ms`` maps the turn-end probability to the silence it demands."""

    hold_ms: Callable[[float | None], float]
    open_ms: float = 96.0
    resume_ms: float = 64.0
    barge_in_ms: float = 192.0
    reopen_within_ms: float = 1500.0
    decide_after_ms: float = 64.0
    repeat_ms: float = 96.0
    text_limit_ms: float = 2500.0
    ask_again_voiced_ms: float = 400.0


# -- events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """A voice-activity window that ends at ``position_ms`` and lasts ``length_ms``."""

    position_ms: float
    voiced: bool
    length_ms: float = 32.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The turn-end model's probability for the pause at ``covers_ms`` of ``turn``."""

    turn: int
    covers_ms: float
    probability: float


@dataclass(frozen=True, slots=True)
class Heard:
    """The words of ``turn`` up to ``covers_ms``."""

    turn: int
    covers_ms: float
    text: str
    rejected: str | None = None


@dataclass(frozen=True, slots=True)
class Audible:
    """The reply's first audible sample was written."""

    reply: int


@dataclass(frozen=True, slots=True)
class Played:
    """The reply is over."""

    reply: int


Event = Window | Scored | Heard | Audible | Played

# -- actions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Open:
    """A caller's turn began at ``start_ms``."""

    turn: int
    start_ms: float


@dataclass(frozen=True, slots=True)
class Read:
    """Write down the turn as far as ``covers_ms``."""

    turn: int
    covers_ms: float


@dataclass(frozen=True, slots=True)
class Score:
    """Ask the turn-end model about the pause at ``covers_ms``."""

    turn: int
    covers_ms: float


@dataclass(frozen=True, slots=True)
class Draft:
    """The turn may be over: prepare the reply to ``text``, and keep it until it is committed or withdrawn."""

    turn: int
    reply: int
    text: str
    covers_ms: float


@dataclass(frozen=True, slots=True)
class Commit:
    """The turn is over: speak the reply to ``text``. An empty text asks the caller to repeat."""

    turn: int
    reply: int
    text: str
    covers_ms: float
    why: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the reply back; ``why`` is ``resumed`` (it was a draft), ``reopened`` or ``barge_in``."""

    turn: int
    reply: int
    why: str


@dataclass(frozen=True, slots=True)
class Drop:
    """The turn held no words: nothing is answered."""

    turn: int
    why: str


Action = Open | Read | Score | Draft | Commit | Withdraw | Drop


@dataclass(frozen=True, slots=True)
class State:
    """Everything that turn taking remembers."""

    phase: Phase = Phase.IDLE
    turn: int = 0
    reply: int = 0
    position_ms: float = 0.0
    start_ms: float = 0.0
    last_voiced_ms: float = 0.0
    voiced_ms: float = 0.0
    run_start_ms: float | None = None  # where the present run of voiced windows began
    read_for_ms: float | None = None
    score_for_ms: float | None = None
    scored_at_ms: float = 0.0
    probability: float | None = None
    heard: Heard | None = None
    drafted: int | None = None  # the reply that is being prepared for this pause
    committed_ms: float = 0.0
    stale: int = field(default=0)  # news of an old turn or pause that was dropped


Step = tuple[State, tuple[Action, ...]]


def step(state: State, event: Event, rules: Rules) -> Step:
    """The next state and what to do. Pure."""
    if isinstance(event, Window):
        return _on_window(state, event, rules)
    if isinstance(event, Scored):
        return _on_scored(state, event, rules)
    if isinstance(event, Heard):
        return _on_heard(state, event, rules)
    if event.reply != state.reply or state.phase not in (Phase.COMMITTED, Phase.REPLYING):
        return replace(state, stale=state.stale + 1), ()
    if isinstance(event, Audible):
        return replace(state, phase=Phase.REPLYING), ()
    return replace(state, phase=Phase.IDLE), ()


def _on_window(state: State, event: Window, rules: Rules) -> Step:
    begin = event.position_ms - event.length_ms
    if event.voiced:
        run = state.run_start_ms if state.run_start_ms is not None else begin
        state = replace(state, position_ms=event.position_ms, run_start_ms=run)
        return _on_voice(state, event.position_ms - run, event, rules)
    state = replace(state, position_ms=event.position_ms, run_start_ms=None)
    if state.phase is Phase.SPEAKING:
        state = replace(state, phase=Phase.PAUSED)
    return _in_pause(state, rules) if state.phase is Phase.PAUSED else (state, ())


def _on_voice(state: State, run_ms: float, event: Window, rules: Rules) -> Step:
    if state.phase is Phase.SPEAKING:
        return _voiced(state, event.length_ms), ()
    if state.phase is Phase.PAUSED:
        # One window alone is a click or a breath: it does not break the pause.
        resumed = run_ms >= rules.resume_ms
        return _go_on(state, run_ms) if resumed else _in_pause(state, rules)
    if state.phase is Phase.IDLE:
        return _open(state, run_ms) if run_ms >= rules.open_ms else (state, ())
    return _over_reply(state, run_ms, rules)


def _over_reply(state: State, run_ms: float, rules: Rules) -> Step:
    """The caller is heard after the commit: going on soon reopens the turn, later it is a barge-in."""
    assert state.run_start_ms is not None
    soon = state.run_start_ms - state.committed_ms <= rules.reopen_within_ms
    audible = state.phase is Phase.REPLYING
    needed = rules.resume_ms if soon and not audible else rules.open_ms if soon else rules.barge_in_ms
    if run_ms < needed:
        return state, ()
    if soon:
        return _resume(state, run_ms), (Withdraw(state.turn, state.reply, "reopened"),)
    withdraw = Withdraw(state.turn, state.reply, "barge_in")
    opened, actions = _open(state, run_ms)
    return opened, (withdraw, *actions)


def _open(state: State, run_ms: float) -> Step:
    assert state.run_start_ms is not None
    opened = State(
        phase=Phase.SPEAKING,
        turn=state.turn + 1,
        reply=state.reply,
        position_ms=state.position_ms,
        start_ms=state.run_start_ms,
        last_voiced_ms=state.position_ms,
        voiced_ms=run_ms,
        run_start_ms=state.run_start_ms,
        stale=state.stale,
    )
    return opened, (Open(opened.turn, opened.start_ms),)


def _voiced(state: State, length_ms: float) -> State:
    return replace(state, last_voiced_ms=state.position_ms, voiced_ms=state.voiced_ms + length_ms)


def _go_on(state: State, run_ms: float) -> Step:
    """The pause was none: a reply drafted in it goes unheard."""
    draft = state.drafted
    actions = () if draft is None else (Withdraw(state.turn, draft, "resumed"),)
    return _resume(state, run_ms), actions


def _resume(state: State, run_ms: float) -> State:
    """Voice is back: what was read and scored for the pause no longer counts."""
    state = replace(
        state, phase=Phase.SPEAKING, probability=None, heard=None, score_for_ms=None, drafted=None
    )
    return _voiced(state, run_ms)


def _in_pause(state: State, rules: Rules) -> Step:
    silence = state.position_ms - state.last_voiced_ms
    actions: list[Action] = []
    if silence >= rules.decide_after_ms:
        if state.read_for_ms != state.last_voiced_ms:
            state = replace(state, read_for_ms=state.last_voiced_ms)
            actions.append(Read(state.turn, state.last_voiced_ms))
        first = state.score_for_ms != state.last_voiced_ms
        if first or state.position_ms - state.scored_at_ms >= rules.repeat_ms:
            state = replace(state, score_for_ms=state.last_voiced_ms, scored_at_ms=state.position_ms)
            actions.append(Score(state.turn, state.last_voiced_ms))
    state, decided = _decide(state, rules)
    return state, (*actions, *decided)


def _decide(state: State, rules: Rules) -> Step:
    """Commit once the silence is long enough and the words are there; close a turn that yields none."""
    silence = state.position_ms - state.last_voiced_ms
    if silence < rules.hold_ms(state.probability):
        return state, ()
    if state.heard is None:
        late = silence >= rules.text_limit_ms
        return _close(state, rules, "the recogniser gave no answer in time") if late else (state, ())
    if not state.heard.text:
        return _close(state, rules, state.heard.rejected)
    why = (
        "timeout" if state.probability is None else f"turn end {state.probability:.2f} after {silence:.0f} ms"
    )
    return _commit(state, state.heard.text, why)


def _close(state: State, rules: Rules, rejected: str | None) -> Step:
    noise = state.heard is not None and rejected is not None
    if noise or state.voiced_ms < rules.ask_again_voiced_ms:
        why = rejected or "too little voice and no words"
        return replace(state, phase=Phase.IDLE), (Drop(state.turn, why),)
    return _commit(state, "", rejected or "voice, but no words")


def _commit(state: State, text: str, why: str) -> Step:
    reply = state.reply if state.drafted is not None else state.reply + 1
    committed = replace(
        state, phase=Phase.COMMITTED, reply=reply, drafted=None, committed_ms=state.position_ms
    )
    return committed, (Commit(state.turn, committed.reply, text, state.last_voiced_ms, why),)


def _on_scored(state: State, event: Scored, rules: Rules) -> Step:
    if not _of_this_pause(state, event):
        return replace(state, stale=state.stale + 1), ()
    return _decide(replace(state, probability=event.probability), rules)


def _on_heard(state: State, event: Heard, rules: Rules) -> Step:
    if not _of_this_pause(state, event):
        return replace(state, stale=state.stale + 1), ()
    state = replace(state, heard=event)
    if not event.text:
        return _decide(state, rules)
    state = replace(state, reply=state.reply + 1, drafted=state.reply + 1)
    draft = Draft(state.turn, state.reply, event.text, event.covers_ms)
    state, decided = _decide(state, rules)
    return state, (draft, *decided)


def _of_this_pause(state: State, event: Scored | Heard) -> bool:
    here = event.turn == state.turn and event.covers_ms == state.last_voiced_ms
    return here and state.phase is Phase.PAUSED
