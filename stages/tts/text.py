"""Text as it is said: no markdown, no emoji, no addresses, numbers as people speak them. Pure."""

from __future__ import annotations

import re
import unicodedata

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, flags), into)
    for pattern, into, flags in (
        (r"```.*?(```|\Z)", " ", re.DOTALL),
        (r"<[/!]?[a-zA-Z][^<>]*>", " ", 0),
        (r"!?\[([^\]]*)\]\([^)]*\)", r"\1", 0),  # links and images: their words
        (r"\b(?:https?://|www\.)(?:www\.)?([\w.-]*\w)(?:[/?#:]\S*)?", r"\1", 0),  # an address: its site
        (r"^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*$", "", re.MULTILINE),  # rules, and the lines under table heads
        (r"^[ \t]*\|(.*?)\|?[ \t]*$", r"\1", re.MULTILINE),
        (r"[ \t]*\|[ \t]*", ", ", 0),
        (r"^[ \t]*(?:#{1,6}|>+|[-*+•]|\d{1,2}[.)])[ \t]+", "", re.MULTILINE),
        (r"(?<![.,!?:;\s])[ \t]*\n\s*", ". ", 0),  # a line is a sentence
        (r"[*_`~^#\\]+", "", 0),
        (r"\b(Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)\.(?=\s)", r"\1", 0),  # piper takes the stop for the sentence's end
        (r"\b(\d{1,3}), (\d{3})(?![\d,-])", r"\1,\2", 0),  # small models write "2, 000"
        (r"[$](\d[\d,]*)\.(\d\d)\b", r"\1 dollars and \2 cents", 0),
        (r"[$](\d[\d,]*(?:\.\d+)?)(\s+(?:thousand|million|billion))?", r"\1\2 dollars", 0),
        (r"\b1 dollars", "1 dollar", 0),
        (r" and 00 cents", "", 0),
        (r"\band 0(\d cents)", r"and \1", 0),
        (r"\s&\s", " and ", 0),
    )
)

_PHONE = re.compile(r"(?<![\d,.])(?:\+?\d{1,3}[ -])?(?:\(?\d{3}\)?[ -])?\d{3}[ -]\d{4}(?!\d|,\d)")


def speakable(text: str) -> str:
    """``text`` in plain words on one line; empty when nothing in it can be said."""
    for pattern, into in _RULES:
        text = pattern.sub(into, text)
    text = _PHONE.sub(_digits, text)
    text = " ".join("".join(map(_sayable, text)).split())
    return text if any(letter.isalnum() for letter in text) else ""


def _digits(match: re.Match[str]) -> str:
    """A telephone number digit by digit, with a comma between its groups."""
    return ", ".join(" ".join(group) for group in re.findall(r"\d+", match.group()))


def _sayable(letter: str) -> str:
    """The character itself, or nothing for emoji, arrows, control codes and private use."""
    if letter in "$+%<>=°£€":
        return letter
    return (
        letter if unicodedata.category(letter)[0] in "LNPM" and not 0xFE00 <= ord(letter) <= 0xFE0F else " "
    )
