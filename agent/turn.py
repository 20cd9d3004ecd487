"""Turn taking, pure: ``step(state, event, rules) -> (state, actions)``. No clock: positions in the audio are the time.

The caller's turn opens when voice lasts, pauses when it stops, and is committed when it has been silent for as long as
the evidence demands (sound, words, what was asked, this caller's pauses) and the words up to the pause are there. If
the caller goes on soon after the commit the turn is reopened with all its words; later, over an audible reply, it is a
barge-in and a new turn.

The silence is not waited out idly: as soon as the words up to the pause are there, a reply is drafted; the commit
releases it, a caller who goes on takes it back unheard.
"""

from __future__ import annotations

from dataclasses import replace

from agent.turn_events import (
    Action,
    Asked,
    Audible,
    Commit,
    Draft,
    Drop,
    Event,
    Heard,
    Known,
    Open,
    Played,
    Read,
    Score,
    Scored,
    ScoreWords,
    Window,
    Withdraw,
    WordsScored,
)
from agent.turn_state import LONGEST_TAIL_MS, PAUSES_KEPT, Phase, Rules, State

__all__ = [
    "LONGEST_TAIL_MS",
    "Action",
    "Asked",
    "Audible",
    "Commit",
    "Draft",
    "Drop",
    "Event",
    "Heard",
    "Known",
    "Open",
    "Phase",
    "Played",
    "Read",
    "Rules",
    "Score",
    "ScoreWords",
    "Scored",
    "State",
    "Window",
    "Withdraw",
    "WordsScored",
    "known",
    "step",
]

Step = tuple[State, tuple[Action, ...]]


def step(state: State, event: Event, rules: Rules) -> Step:
    """The next state and what to do. Pure."""
    if isinstance(event, Window):
        return _on_window(state, event, rules)
    if isinstance(event, Scored):
        return _on_scored(state, event, rules)
    if isinstance(event, WordsScored):
        return _on_words_scored(state, event, rules)
    if isinstance(event, Heard):
        return _on_heard(state, event, rules)
    if isinstance(event, Asked):
        return (replace(state, said=event.said) if event.turn == state.turn else _dropped(state)), ()
    if event.reply != state.reply or state.phase not in (Phase.COMMITTED, Phase.REPLYING):
        return _dropped(state), ()
    if isinstance(event, Audible):
        return replace(state, phase=Phase.REPLYING), ()
    return replace(state, phase=Phase.IDLE), ()


def _dropped(state: State) -> State:
    return replace(state, stale=state.stale + 1)


def _on_window(state: State, event: Window, rules: Rules) -> Step:
    begin = event.position_ms - event.length_ms
    if _counts(state, event):
        run = state.run_start_ms if state.run_start_ms is not None else begin
        state = replace(state, position_ms=event.position_ms, run_start_ms=run)
        return _on_voice(state, event.position_ms - run, event, rules)
    state = replace(state, position_ms=event.position_ms, run_start_ms=None)
    if state.phase is Phase.SPEAKING:
        state = replace(state, phase=Phase.PAUSED, fading=True)
    if state.phase is not Phase.PAUSED:
        return state, ()
    state, taken_back = _faded(state, event)
    state, actions = _in_pause(state, rules)
    return state, (*taken_back, *actions)


def _faded(state: State, event: Window) -> Step:
    """Until it has fallen once, voice activity puts the pause's beginning off. What stayed faint for longer than a
    tail lasts was soft speech: the words and the evidence have to cover it.
    """
    if state.fading and event.voiced:
        return replace(state, last_voiced_ms=event.position_ms), ()
    soft = state.fading and state.last_voiced_ms - state.covers_ms > LONGEST_TAIL_MS
    state = replace(state, fading=False)
    if not soft:
        return state, ()
    draft = state.drafted
    actions = () if draft is None else (Withdraw(state.turn, draft, "resumed"),)
    return replace(_unread(state), covers_ms=state.last_voiced_ms), actions


def _counts(state: State, event: Window) -> bool:
    """Whether the window is voice. A faint one is silence inside the turn, where the work for its end must not begin
    late; elsewhere it carries on a run: a stop consonant does not break a barge-in.
    """
    inside = state.phase in (Phase.SPEAKING, Phase.PAUSED)
    return event.voiced and not (inside and event.faint)


def _on_voice(state: State, run_ms: float, event: Window, rules: Rules) -> Step:
    if state.phase is Phase.SPEAKING:
        return _voiced(state, event.length_ms), ()
    if state.phase is Phase.PAUSED:
        # One window alone is a click or a breath: it does not break the pause.
        resumed = run_ms >= rules.resume_ms
        if resumed:
            return _go_on(state, run_ms)
        state, _ = _faded(state, event) if state.fading else (state, ())
        return _in_pause(state, rules)
    if state.phase is Phase.IDLE:
        return _open(state, run_ms) if run_ms >= rules.open_ms else (state, ())
    return _over_reply(state, run_ms, rules)


def _over_reply(state: State, run_ms: float, rules: Rules) -> Step:
    """The caller is heard after the commit: going on soon reopens the turn, later it is a barge-in."""
    assert state.run_start_ms is not None
    # Counted from the caller's last word: a turn that was waited for long is over, whoever speaks next.
    soon = state.run_start_ms - state.last_voiced_ms <= rules.reopen_within_ms
    audible = state.phase is Phase.REPLYING
    needed = rules.resume_ms if soon and not audible else rules.open_ms if soon else rules.barge_in_ms
    if run_ms < needed:
        return state, ()
    if soon:
        # Once our reply is audible the caller may have stopped for it: that silence was no pause of their own.
        state = state if audible else _learned(state)
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
        covers_ms=state.position_ms,
        voiced_ms=run_ms,
        run_start_ms=state.run_start_ms,
        said=state.said,
        pauses_ms=state.pauses_ms,
        stale=state.stale,
    )
    return opened, (Open(opened.turn, opened.start_ms),)


def _voiced(state: State, length_ms: float) -> State:
    at = state.position_ms
    return replace(
        state, last_voiced_ms=at, covers_ms=at, fading=False, voiced_ms=state.voiced_ms + length_ms
    )


def _go_on(state: State, run_ms: float) -> Step:
    """The pause was none: a reply drafted in it goes unheard."""
    draft = state.drafted
    actions = () if draft is None else (Withdraw(state.turn, draft, "resumed"),)
    return _resume(_learned(state), run_ms), actions


def _learned(state: State) -> State:
    """The silence that ends here was a pause inside the caller's own turn, if voice activity saw it too."""
    assert state.run_start_ms is not None
    if state.fading:
        return state
    pause = state.run_start_ms - state.last_voiced_ms
    return replace(state, pauses_ms=(*state.pauses_ms, pause)[-PAUSES_KEPT:])


def _resume(state: State, run_ms: float) -> State:
    """Voice is back: what was read and scored for the pause no longer counts."""
    return _voiced(replace(_unread(state), phase=Phase.SPEAKING), run_ms)


def _unread(state: State) -> State:
    return replace(state, scores=(), words_score=None, heard=None, score_for_ms=None, drafted=None)


def _in_pause(state: State, rules: Rules) -> Step:
    actions: list[Action] = []
    if state.position_ms - state.covers_ms >= rules.decide_after_ms and state.read_for_ms != state.covers_ms:
        state = replace(state, read_for_ms=state.covers_ms)
        actions.append(Read(state.turn, state.covers_ms))
    if state.position_ms - state.last_voiced_ms >= rules.decide_after_ms:
        first = state.score_for_ms != state.covers_ms
        if first or state.position_ms - state.scored_at_ms >= rules.repeat_ms:
            state = replace(state, score_for_ms=state.covers_ms, scored_at_ms=state.position_ms)
            actions.append(Score(state.turn, state.covers_ms))
    state, decided = _decide(state, rules)
    return state, (*actions, *decided)


def _decide(state: State, rules: Rules) -> Step:
    """Commit once the silence is long enough and the words are there; close a turn that yields none."""
    silence = state.position_ms - state.last_voiced_ms
    needed = rules.hold_ms(known(state))
    if state.heard is not None and not state.heard.text:
        needed = min(needed, rules.no_words_ms)
    if silence < needed:
        return state, ()
    if state.heard is None:
        late = silence >= rules.text_limit_ms
        return _close(state, rules, "the recogniser gave no answer in time") if late else (state, ())
    if not state.heard.text:
        return _close(state, rules, state.heard.rejected)
    return _commit(state, state.heard.text, _why(state, silence, needed))


def known(state: State) -> Known:
    """What is known of the present pause."""
    heard = state.heard.text if state.heard is not None else None
    return Known(
        audio=state.scores,
        text=heard or None,
        text_end=state.words_score,
        said=state.said,
        pauses_ms=state.pauses_ms,
        turn_ms=state.last_voiced_ms - state.start_ms,
    )


def _why(state: State, silence: float, needed: float) -> str:
    sound = f"sound {state.scores[-1]:.2f}" if state.scores else "no word of the sound"
    words = f", words {state.words_score:.4f}" if state.words_score is not None else ""
    return f"{sound}{words}: {needed:.0f} ms of silence needed, {silence:.0f} ms seen"


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
    return committed, (Commit(state.turn, committed.reply, text, state.covers_ms, why),)


def _on_scored(state: State, event: Scored, rules: Rules) -> Step:
    if not _of_this_pause(state, event):
        return _dropped(state), ()
    return _decide(replace(state, scores=(*state.scores, event.probability)), rules)


def _on_words_scored(state: State, event: WordsScored, rules: Rules) -> Step:
    if not _of_this_pause(state, event):
        return _dropped(state), ()
    return _decide(replace(state, words_score=event.probability), rules)


def _on_heard(state: State, event: Heard, rules: Rules) -> Step:
    if not _of_this_pause(state, event):
        return _dropped(state), ()
    state = replace(state, heard=event)
    if not event.text:
        return _decide(state, rules)
    state = replace(state, reply=state.reply + 1, drafted=state.reply + 1)
    ask = ScoreWords(state.turn, event.covers_ms, event.text)
    draft = Draft(state.turn, state.reply, event.text, event.covers_ms)
    state, decided = _decide(state, rules)
    # A turn that ends at once has no use for the answer, and its reply has for the core.
    asks = (ask,) if state.phase is Phase.PAUSED else ()
    return state, (draft, *asks, *decided)


def _of_this_pause(state: State, event: Scored | WordsScored | Heard) -> bool:
    here = event.turn == state.turn and event.covers_ms == state.covers_ms
    return here and state.phase is Phase.PAUSED
