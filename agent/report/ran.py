"""What a report says of the configuration that ran."""

from __future__ import annotations

from agent.config.load import Loaded
from agent.report.facts import ConfigFacts


def config_facts(loaded: Loaded) -> ConfigFacts:
    """Its file's name, hash and budget."""
    budget = loaded.config.budget
    return ConfigFacts(
        path=loaded.path.name,
        sha256=loaded.sha256(),
        budget_ms=budget.budget_ms,
        content_budget_ms=budget.content_budget_ms,
    )
