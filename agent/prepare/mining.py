"""What agents say when: from past calls to reply templates with counts, for a person to review. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.prepare.lines import Talk
from agent.prepare.replies import ReplySet, Template
from agent.prepare.similar import VALUE, likeness, plain, says_little, wish, with_slots
from stages.council.social import Manners, asks_for_more, manners_of, takes_leave

ALIKE = 0.66
"""From here on two lines are one reply."""
LEAST_COUNT, LEAST_CALLS = 2, 2
"""A reply that was heard less often, or in one call only, is nobody's habit (and may be somebody's detail)."""
MOST_EXAMPLES = 12
ANY_STATE = "*"
_Usual = Mapping[tuple[Manners, str | None], str]
USUAL_COUNT, USUAL_WORDS = 3, 4
"""A line of so many words that was said so often is one of its own, also in one breath with others."""


@dataclass(frozen=True, slots=True)
class Move:
    """An agent's reply and what came before: ``state`` is the agent's line before the caller's.

    ``parts`` are all that the agent said then, ``reply`` the first that says something.
    """

    talk: str
    state: str
    caller: str
    reply: str
    parts: tuple[str, ...] = ()

    @property
    def manners(self) -> Manners | None:
        """What the caller's line is, where it is manners and nothing else."""
        return manners_of(self.caller, self.state)


@dataclass(slots=True)
class _Group:
    moves: list[Move] = field(default_factory=list)
    forms: Counter[tuple[str, ...]] = field(default_factory=Counter)

    @property
    def base(self) -> tuple[str, ...]:
        return self.forms.most_common(1)[0][0]

    def add(self, move: Move) -> None:
        self.moves.append(move)
        self.forms[plain(move.reply)] += 1


def usual_lines(talks: Sequence[Talk]) -> tuple[str, ...]:
    """What agents often say as a line of its own."""
    counts = Counter(
        part for talk in talks for line in talk.lines if line.role == "agent" for part in line.parts
    )
    return tuple(
        text for text, count in counts.items() if count >= USUAL_COUNT and len(text.split()) >= USUAL_WORDS
    )


def moves(talk: Talk, usual: Sequence[str] = ()) -> Iterator[Move]:
    """Every reply of the agent to a caller's line. Its first part is what the caller waits for."""
    for at, line in enumerate(talk.lines):
        if line.role == "agent" and at > 0:
            before = _cut(talk.lines[at - 2].parts, usual) if at > 1 else [""]
            said = _cut(line.parts, usual)
            yield Move(talk.name, before[-1], talk.lines[at - 1].text, _first_said(said), tuple(said))


def _cut(parts: Sequence[str], usual: Sequence[str]) -> list[str]:
    """The parts, each cut in front of and behind a usual line in it; a lone little word stays with that line."""
    made: list[str] = []
    for part in parts:
        for line in usual:
            part = part.replace(line, f"|{line}|")
        for piece in filter(None, map(str.strip, part.split("|"))):
            if made and says_little(piece) and made[-1] in usual:
                made[-1] += f" {piece}"
            else:
                made.append(piece)
    return made


def _first_said(parts: Sequence[str]) -> str:
    """The first part that says something: "okay" alone is no reply."""
    return next((part for part in parts if plain(part)), parts[0])


def mine(talks: Sequence[Talk]) -> ReplySet:
    """The templates that these calls show, the most frequent first."""
    usual = usual_lines(talks)
    groups = _grouped([move for talk in talks for move in moves(talk, usual) if plain(move.reply)])
    kept = [
        group
        for group in groups
        if len(group.moves) >= LEAST_COUNT and len({move.talk for move in group.moves}) >= LEAST_CALLS
    ]
    names = _names(kept)
    mannered = _mannered(kept, names)
    templates = tuple(
        _template(group, name, kept, names, mannered) for group, name in zip(kept, names, strict=True)
    )
    return ReplySet(templates=templates)


def _mannered(groups: Sequence[_Group], names: Sequence[str]) -> _Usual:
    """The usual reply to each kind of manners in each state, by the names of the templates."""
    counts: dict[tuple[Manners, str | None], Counter[str]] = {}
    for group, name in zip(groups, names, strict=True):
        for move in group.moves:
            if move.manners is not None:
                for state in (state_of(move.state, groups, names), ANY_STATE):
                    counts.setdefault((move.manners, state), Counter())[name] += 1
    usual = {place: found.most_common(1)[0] for place, found in counts.items()}
    return {place: name for place, (name, count) in usual.items() if count >= LEAST_COUNT}


def _grouped(found: Sequence[Move]) -> list[_Group]:
    groups: list[_Group] = []
    counts = Counter(plain(move.reply) for move in found)
    # The commonest forms first: they are what the others gather around.
    for move in sorted(found, key=lambda one: -counts[plain(one.reply)]):
        form = plain(move.reply)
        best = max(groups, key=lambda group: likeness(group.base, form), default=None)
        if best is None or likeness(best.base, form) < ALIKE:
            best = _Group()
            groups.append(best)
        best.add(move)
    return sorted(groups, key=lambda group: -len(group.moves))


def _template(
    group: _Group,
    name: str,
    groups: Sequence[_Group],
    names: Sequence[str],
    mannered: Mapping[tuple[Manners, str | None], str],
) -> Template:
    words = with_slots(group.forms, group.base)
    examples = Counter(" ".join(wish(move.caller)) for move in group.moves if move.manners is None)
    states = Counter(
        found for move in group.moves if (found := state_of(move.state, groups, names)) is not None
    )
    return Template(
        name=name,
        text=_shown(group, words)[:240],
        after=tuple(text[:240] for text, _ in examples.most_common(MOST_EXAMPLES) if text),
        state=tuple(state for state, _ in states.most_common(4)),
        when=tuple(sorted({kind for (kind, _), best in mannered.items() if best == name})),
        count=len(group.moves),
        calls=len({move.talk for move in group.moves}),
    )


def _shown(group: _Group, words: tuple[str, ...]) -> str:
    """As people said it, where nothing in it is a value; else its words with the slots."""
    if VALUE.intersection(words):
        return " ".join(words)
    said = Counter(move.reply for move in group.moves if plain(move.reply) == group.base)
    return said.most_common(1)[0][0]


def same_reply(one: str, other: str) -> bool:
    """Whether two lines of agents do the same: by their words, or both ask for more, or both take leave."""
    return (
        likeness(plain(one), plain(other)) >= ALIKE
        or (asks_for_more(one) and asks_for_more(other))
        or (takes_leave(one) and takes_leave(other))
    )


def state_of(said: str, groups: Sequence[_Group], names: Sequence[str]) -> str | None:
    """The name of the template that ``said`` is, if it is one."""
    form = plain(said)
    scored = [(likeness(group.base, form), name) for group, name in zip(groups, names, strict=True)]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= ALIKE else None


def _names(groups: Sequence[_Group]) -> list[str]:
    made: list[str] = []
    for group in groups:
        words = [word for word in group.base if word.isalpha()][:5]
        name = "_".join(words) or "reply"
        same = sum(other == name or other.startswith(f"{name}_x") for other in made)
        made.append(f"{name}_x{same + 1}" if same else name)
    return made
