"""What turn taking is told, and what it answers with. Positions and lengths are milliseconds of audio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a pause at one moment: fields as in :class:`stages.endpoint.evidence.Evidence`."""

    audio: tuple[float, ...] = ()
    text: str | None = None
    text_end: float | None = None
    said: str = ""
    pauses_ms: tuple[float, ...] = ()
    turn_ms: float = 0.0


# -- events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """A voice-activity window that ends at ``position_ms`` and lasts ``length_ms``.

    ``faint``: voice activity still finds voice, but its level is that of silence.
    """

    position_ms: float
    voiced: bool
    length_ms: float = 32.0
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """The turn-end model's probability for the pause at ``covers_ms`` of ``turn``."""

    turn: int
    covers_ms: float
    probability: float


@dataclass(frozen=True, slots=True)
class WordsScored:
    """The language model's probability that the words up to ``covers_ms`` of ``turn`` are a whole message."""

    turn: int
    covers_ms: float
    probability: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What the agent last said before ``turn``."""

    turn: int
    said: str


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


Event = Window | Scored | WordsScored | Asked | Heard | Audible | Played

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
class ScoreWords:
    """Ask the language model whether ``text`` is a whole message."""

    turn: int
    covers_ms: float
    text: str


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


Action = Open | Read | Score | ScoreWords | Draft | Commit | Withdraw | Drop
