"""All messages of our own between processors, by hop. What pipecat has a frame for uses pipecat's.

Each carries the turn or reply that it belongs to; news of an old one is dropped where it arrives. Positions are
milliseconds of audio since the stream began.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipecat.frames.frames import AggregatedTextFrame, DataFrame, LLMContextFrame, SystemFrame

from stages.contract import Message

# -- hearing -> turn end (downstream) ---------------------------------------------------------------------------------


@dataclass
class VoiceFrame(SystemFrame):
    """One voice-activity window was heard; ``position_ms`` is its end.

    ``voiced``: by voice activity, which falls 100 ms late; ``loud``: and by its level too.
    """

    position_ms: float
    probability: float
    voiced: bool
    loud: bool


@dataclass
class HeardFrame(SystemFrame):
    """The words of a turn up to its last voiced window at ``covers_ms``. ``rejected``: no speech, and why."""

    turn: int
    covers_ms: float
    text: str
    rejected: str | None = None


@dataclass
class PartialFrame(SystemFrame):
    """The words of a turn while the caller still speaks, from the audio up to ``covers_ms``.

    ``stable``: two readings agree on it; it may be worked on ahead of time. ``open``: what the newest reading has
    behind it, and may still change. The final text may differ in both.
    """

    turn: int
    covers_ms: float
    stable: str
    open: str


# -- turn end -> hearing (upstream) -----------------------------------------------------------------------------------


@dataclass
class TurnOpenedFrame(SystemFrame):
    """A caller's turn began; its audio starts at ``start_ms``."""

    turn: int
    start_ms: float


@dataclass
class ReadFrame(SystemFrame):
    """Write down the turn as far as ``covers_ms``: the caller has paused there."""

    turn: int
    covers_ms: float


# -- turn end -> council (downstream) ---------------------------------------------------------------------------------


@dataclass
class PrefillFrame(SystemFrame):
    """The caller speaks: read the conversation so far into the model's cache."""

    turn: int
    messages: list[Message]


@dataclass
class ReplyFrame(LLMContextFrame):
    """Make the reply to a turn that is, or may be, over. ``fixed`` is a sentence to say as it is, without a model.

    Nothing of it is heard before its :class:`ReplyReleasedFrame`.

    It is pipecat's signal to run a language model, so that one of pipecat's services can stand in for ours.
    """

    turn: int = 0
    reply: int = 0
    fixed: str | None = None
    answers: bool = False  # ``fixed`` says something about what was asked
    fit: float | None = (
        None  # the chance that ``fixed`` fits; None: as the measured quality of cached replies
    )
    turn_end_ms: float = 0.0  # silence at which the turn will be committed, as far as is known


@dataclass
class ReplyReleasedFrame(SystemFrame):
    """The turn is over: the reply may be heard. May overtake the :class:`ReplyFrame` itself.

    The council answers it with a :class:`ChosenFrame`; where another service stands in for the council it releases
    take 0.
    """

    reply: int


@dataclass
class ReplyCancelledFrame(SystemFrame):
    """The reply is no longer wanted: nothing more of it may be generated, spoken or played. Both ways."""

    reply: int


# -- council -> speaking (downstream) ---------------------------------------------------------------------------------


@dataclass
class PieceFrame(AggregatedTextFrame):
    """A speakable piece of a reply. ``content``: it says something about what was asked (see docs/latency.md).

    ``last`` marks the end of the reply; its text may be empty. A text frame that pipecat's own speech services take.
    ``take`` tells the ways of answering of one reply apart; :data:`BRIDGE` is the phrase before whichever is heard.
    """

    reply: int = 0
    take: int = 0
    index: int = 0
    content: bool = True
    last: bool = False


BRIDGE = -1


@dataclass
class ChosenFrame(SystemFrame):
    """This take of the reply is the one to be heard; with ``play`` from now on. May overtake the pieces."""

    reply: int
    take: int
    play: bool


# -- speaking -> council (upstream) -----------------------------------------------------------------------------------


@dataclass
class TakeFrame(SystemFrame):
    """A take's first audio is ``ready``, was handed over (``begun``: nothing is changed any more), or it has none
    (``empty``).
    """

    reply: int
    take: int
    state: Literal["ready", "begun", "empty"]


# -- speaking -> output (downstream, in the order of the audio) -------------------------------------------------------


@dataclass
class PieceAudioFrame(DataFrame):
    """The audio that follows belongs to this piece."""

    reply: int
    index: int
    text: str
    content: bool


@dataclass
class ReplyAudioEndFrame(DataFrame):
    """All audio of the reply has been handed over."""

    reply: int


# -- output -> everyone (upstream) ------------------------------------------------------------------------------------


@dataclass
class ReplyAudibleFrame(SystemFrame):
    """The first audible sample of the reply was written."""

    reply: int


@dataclass
class ReplyPlayedFrame(SystemFrame):
    """The reply is over: played to its end, or there was nothing to play."""

    reply: int
