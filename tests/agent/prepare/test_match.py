"""Which prepared reply fits."""

from __future__ import annotations

import pytest

from agent.config.load import CONFIGS
from agent.config.strict import load_model
from agent.errors import AgentError
from agent.prepare.match import Matcher, filled
from agent.prepare.replies import ReplySet, Template, find_replies

REPLIES = ReplySet(
    templates=(
        Template(name="more", text="Is there anything else?", after=("thank you", "great thanks"), count=6),
        Template(
            name="bye",
            text="Thank you for calling.",
            after=("no thank you", "no that is all"),
            state=("more",),
            count=6,
        ),
        Template(name="paid", text="I have paid {amount}.", after=("pay {amount} please",), count=6),
    )
)
MATCHER = Matcher(REPLIES)


def test_the_likeliest_comes_first_with_its_chance() -> None:
    ranked = MATCHER.likely("more", "No, thank you!")
    assert ranked[0].template.name == "bye"
    assert ranked[0].probability > 0.6
    assert sum(one.probability for one in ranked) < 1.0


def test_what_the_agent_said_before_matters() -> None:
    after_more = {one.template.name: one.probability for one in MATCHER.likely("more", "no thank you")}
    elsewhere = {one.template.name: one.probability for one in MATCHER.likely(None, "no thank you")}
    assert elsewhere["bye"] < after_more["bye"]
    assert MATCHER.state_after("is there anything else") == "more"
    assert MATCHER.state_after("We are open until five.") is None


def test_a_turn_unlike_any_other_gets_a_low_chance() -> None:
    ranked = MATCHER.likely("more", "my dog ate the no thank parcel on tuesday")
    assert all(one.probability < 0.5 for one in ranked)
    assert MATCHER.likely(None, "") == []


def test_manners_have_the_reply_of_their_state() -> None:
    matcher = Matcher(
        ReplySet(
            templates=(
                Template(name="bye", text="Thank you for calling.", when=("farewell",)),
                Template(name="gone", text="Goodbye.", when=("farewell", "thanks"), state=("bye",)),
            )
        )
    )
    usual, here = matcher.mannered("farewell", "It costs five dollars."), "Good. Thank you for calling."
    assert usual is not None
    assert usual.name == "bye"
    assert matcher.mannered("thanks", here) == matcher.mannered("farewell", here)
    assert matcher.mannered("thanks", here) != usual
    assert matcher.mannered("wait", "It costs five dollars.") is None


def test_a_value_is_said_only_if_the_caller_said_it_in_this_turn() -> None:
    paid = REPLIES.templates[2]
    assert filled(paid, {"amount": "$20"}, "please pay twenty dollars") == "I have paid $20."
    assert filled(paid, {"amount": "$20"}, "please pay thirty dollars") is None
    assert filled(paid, {"amount": ""}, "please pay thirty dollars") is None
    assert filled(paid, {}, "please pay twenty dollars") is None
    assert filled(REPLIES.templates[0], {}, "thank you") == "Is there anything else?"


def test_every_shipped_file_loads_and_a_wrong_name_is_told() -> None:
    shipped = sorted((CONFIGS / "replies").glob("*.yaml"))
    assert shipped
    for path in shipped:
        assert load_model(path, ReplySet).bridges
    assert find_replies(None, "bank") is not None
    assert find_replies(None, "nobody") is None
    with pytest.raises(AgentError, match=r"there is no .*nobody\.yaml"):
        find_replies("nobody", "bank")


def test_no_shipped_reply_holds_a_number() -> None:
    for path in (CONFIGS / "replies").glob("*.yaml"):
        for one in load_model(path, ReplySet).templates:
            assert not any(letter.isdigit() for letter in one.text)


def test_names_are_unique_and_states_are_templates() -> None:
    one = Template(name="a", text="A.")
    with pytest.raises(ValueError, match="same name"):
        ReplySet(templates=(one, one))
    with pytest.raises(ValueError, match="'b' is no template"):
        ReplySet(templates=(Template(name="a", text="A.", state=("b",)),))
