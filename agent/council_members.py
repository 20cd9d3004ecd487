"""The council's members: the fast seat's own weights, further models, servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agent.compute import Compute
from agent.config.load import Loaded
from agent.config.model import FAST, Config
from agent.council import Council, Member
from agent.errors import AgentError
from agent.models.store import Store
from agent.seats import asks
from stages.contract import Message, Seat
from stages.council.config import SeatConfig
from stages.council.council import EngineCouncil
from stages.council.deciding.candidate import Candidate, Decision
from stages.council.deciding.select import select
from stages.council.one_by_one import SeatCouncil
from stages.council.seat import LlamaSeat
from stages.registry import engine


def open_seats(
    config: Config, fast: Seat, store: Store, proven: Callable[[SeatConfig, Path], SeatConfig]
) -> dict[str, Seat]:
    """The seats that the council asks, loaded; ``proven`` gives the kernels that suit a model file.

    Weights are loaded once: the fast seat's are shared. A server gets a connection of its own. Raises AgentError for a
    member that is not among the seats.
    """
    seats: dict[str, Seat] = {}
    for name in dict.fromkeys(seat.member for seat in config.council.seats):
        if name not in config.seats:
            raise AgentError(
                "config.member",
                f"council.seats names the member {name!r}, which is not among seats.",
                f"There are: {', '.join(config.seats)}.",
            )
        settings = config.seats[name]
        if settings.engine == "remote":
            seats[name] = engine("seat", "remote")(Path(settings.model), settings)
        elif name == FAST:
            seats[name] = fast
        else:
            path = store.path(settings.model)
            seats[name] = engine("seat", settings.engine)(path, proven(settings, path))
    return seats


def council_of(loaded: Loaded, seats: Mapping[str, Seat], compute: Compute) -> Council | None:
    """The council of ``loaded`` on ``seats``; None where it has none."""
    config, persona = loaded.config, loaded.persona
    if not seats:
        return None
    members = {name: Member(_answers(seat), config.seats[name].threads) for name, seat in seats.items()}

    def decide(question: str, history: Sequence[Message], candidates: Sequence[Candidate]) -> Decision:
        said = [line["content"] for line in history if line["role"] == "user"]
        return select(candidates, [*persona.known(), *said, question], persona.safe_sentence)

    return Council(
        members,
        lambda history: [*persona.opening(), *history],
        lambda question, history: asks(persona, config.council.seats, question, history),
        decide,
        compute,
    )


def _answers(seat: Seat) -> EngineCouncil | SeatCouncil:
    return EngineCouncil(seat.engine) if isinstance(seat, LlamaSeat) else SeatCouncil(seat)
