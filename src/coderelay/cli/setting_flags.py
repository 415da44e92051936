"""A flag for each declared setting, with its help."""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from coderelay.server.declared_settings import DeclaredSetting, declared
from coderelay.server.settings import Settings
from coderelay.server.settings_text import default_text, explanation

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

F = TypeVar("F", bound=Callable[..., object])


def with_setting_flags(
    kind: "type[DataclassInstance]", *, environment: bool = True
) -> Callable[[F], F]:
    """Give a command with `**flags` a flag for each setting. typer makes them from the signature.

    Their values are texts, since one place checks what all sources give. `environment` says whether
    the help names the variables.
    """

    def decorate(command: F) -> F:
        signature = inspect.signature(command)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        flags = [_parameter(each, environment) for each in declared(kind)]
        command.__signature__ = signature.replace(parameters=[*own, *flags])  # type: ignore[attr-defined]
        return command

    return decorate


def command_line_flags(context: typer.Context, flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that are on the command line. typer also reads environment variables and defaults,
    to print them in the help, but settings take those from elsewhere."""
    return {
        name: value
        for name, value in flags.items()
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    }


def variables(name: str) -> list[str]:
    """The environment variables of a setting of the server, for commands that have it as well."""
    (setting,) = (each for each in declared(Settings) if each.name == name)
    return list(setting.variables)


def _parameter(setting: DeclaredSetting, environment: bool) -> inspect.Parameter:
    kind: Any = list[str] | None if setting.kind is tuple else str | None
    words = setting.about.default
    option = typer.Option(
        *setting.flags,
        metavar=setting.about.metavar,
        envvar=list(setting.variables) if environment else None,
        help=explanation(setting),
        rich_help_panel=setting.about.group,
        show_default=words or not setting.required,
    )
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if words or setting.required else default_text(setting),
        annotation=Annotated[kind, option],
    )
