"""Many tools, of the kind that servers of tools declare."""

import itertools
from typing import Any

from coderelay.core import Tool

SERVICES = (
    "github gitlab jira slack gmail calendar drive stripe shopify salesforce hubspot zendesk "
    "postgres redis s3 weather maps news notion trello"
).split()
VERBS = {
    "list": "List all {0}s that match a filter",
    "get": "Get one {0} by its id",
    "create": "Create a new {0}",
    "update": "Change the fields of a {0}",
    "delete": "Delete a {0} for good",
}
THINGS = (
    "issue project comment user team file folder message channel event invoice payment customer "
    "order product report label task board webhook"
).split()


def many_tools(count: int) -> list[Tool]:
    """That many tools, each one different."""
    made = itertools.product(SERVICES, THINGS, VERBS)
    return [_tool(*each) for each in itertools.islice(made, count)]


def _tool(service: str, thing: str, verb: str) -> Tool:
    described = VERBS[verb].format(thing)
    properties: dict[str, Any] = {
        f"{thing}_id": {"type": "string", "description": f"Which {thing} of {service} is meant."},
        "fields": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The fields to return; all of them where this is left out.",
        },
        "page_size": {
            "type": "integer",
            "description": "How many to return at once.",
            "default": 20,
        },
        "options": {
            "type": "object",
            "properties": {
                "dry_run": {"type": "boolean", "description": "Only say what would be done."},
                "time_zone": {"type": "string", "description": "The zone that times are given in."},
            },
        },
    }
    return Tool(
        f"{service}_{verb}_{thing}",
        f"{described} in {service.title()}. Needs the right to do so; fails where the {thing} is "
        "locked by somebody else.",
        {"type": "object", "properties": properties, "required": [f"{thing}_id"]},
        {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}},
    )
