"""A function's type hints and its docstring describe a tool.

Arguments are validated by the hints before the function is called, and its value becomes JSON.
"""

import inspect
import json
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind
from pydantic_core import to_json

from coderelay.core import InvalidTool, Json
from coderelay.core.json_values import dump

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class ArgumentsError(Exception):
    """Arguments do not fit the type hints of the function. The message says which, and why."""


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring, taken apart: the function, each parameter, and the value that it returns."""

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""


class _UntitledSchema(GenerateJsonSchema):
    """Writes schemas without a title for every field. In the schema of an answer, a field with a
    default is required, because an answer always has it."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        filled = self.mode == "serialization" and field["type"] != "typed-dict-field"
        may_miss = field.get("serialization_exclude_if") is not None
        return (filled and not may_miss) or super().field_is_required(field, total)

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """A default without a JSON form is left out of the schema, without a warning."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Calls a function with JSON arguments, and makes JSON of its value."""

    parameters: Mapping[str, inspect.Parameter]
    """The parameters by the names of the model's fields, which hold the arguments."""
    arguments: type[BaseModel]
    returns: TypeAdapter[Any] | None

    def parameters_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments object."""
        schema = self.arguments.model_json_schema(schema_generator=_UntitledSchema)
        schema.pop("title", None)
        schema.setdefault("properties", {})
        return schema

    def returns_schema(self, description: str) -> dict[str, Any] | None:
        """The JSON Schema of the value, or None for a function without a return type."""
        if self.returns is None:
            return None
        schema = self.returns.json_schema(mode="serialization", schema_generator=_UntitledSchema)
        if description and "$ref" not in schema:
            schema.setdefault("description", description)
        return schema

    def bind(self, arguments: Json) -> tuple[list[Any], dict[str, Any]]:
        """The positional and keyword arguments, each of the type of its hint. Raises
        `ArgumentsError`."""
        try:
            # as JSON text, in which a string can be a date and a list a tuple, in strict mode too
            model = self.arguments.model_validate_json(dump(arguments))
        except ValidationError as error:
            raise ArgumentsError(_explain(error)) from error
        positional: list[Any] = []
        keyword: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            passed = name in model.model_fields_set or isinstance(parameter.default, FieldInfo)
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                positional.append(getattr(model, name) if passed else parameter.default)
            elif passed:  # else the function's own default, not a copy of it
                keyword[parameter.name] = getattr(model, name)
        return positional, keyword

    def dump(self, value: Any) -> Json:
        """The value as JSON. A value of another type than the hint says is written as what it is.

        NaN and the infinities become strings, as they do in the values of programs.
        """
        if self.returns is not None:
            value = self.returns.dump_python(value, by_alias=True, warnings=False)
        return json.loads(to_json(value, by_alias=True, inf_nan_mode="strings"))


def documentation(function: Callable[..., Any]) -> Documentation:
    """The docstring of a function, in the style of Google, NumPy or reST. One in no known style is
    the description as a whole."""
    text = inspect.getdoc(function) or ""
    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return Documentation(text)
    parts = (parsed.short_description, parsed.long_description)
    parameters = {
        parameter.arg_name.lstrip("*"): _line(parameter.description)
        for parameter in parsed.params
        if parameter.description
    }
    returns = parsed.returns.description if parsed.returns else None
    return Documentation("\n\n".join(part for part in parts if part), parameters, _line(returns))


def signature(function: Callable[..., Any], name: str, documented: Documentation) -> Signature:
    """The signature of a function, from its type hints. Raises `InvalidTool` for a hint that has no
    JSON form."""
    try:
        hints = typing.get_type_hints(_hinted(function), include_extras=True)
        found = inspect.signature(function).parameters.values()
    except (NameError, TypeError, ValueError) as error:
        raise InvalidTool(f"the type hints of the tool {name!r} cannot be read: {error}") from error
    for parameter in found:
        if parameter.kind in _VARIADIC:
            raise InvalidTool(
                f"the tool {name!r} takes {parameter}: give each argument a name and a type, "
                "or start the function's name with _ if it is not a tool"
            )
    # numbered fields with the name as alias: a parameter may be called `copy`, `schema` or `_x`
    parameters = {f"argument{place}": parameter for place, parameter in enumerate(found)}
    try:
        arguments = _model(parameters, hints, documented)
        returns = TypeAdapter(hints["return"]) if "return" in hints else None
        made = Signature(parameters, arguments, returns)
        made.parameters_schema()
        made.returns_schema("")
    except PydanticUserError as error:
        reason = str(error).partition("\n")[0]
        raise InvalidTool(f"a type hint of the tool {name!r} has no JSON form: {reason}") from error
    return made


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


def _hinted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The object with the hints: the function, or what a partial or a callable object calls."""
    if inspect.isroutine(function):
        return function
    inner: Callable[..., Any] = getattr(function, "func", None) or type(function).__call__
    return inner


def _model(
    parameters: Mapping[str, inspect.Parameter], hints: Mapping[str, Any], documented: Documentation
) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for name, parameter in parameters.items():
        hint = hints.get(parameter.name, Any)
        description = _own_description(hint, parameter) or documented.parameters.get(parameter.name)
        described = Field(alias=parameter.name, description=description)
        named = Annotated[hint, described]  # type: ignore[valid-type]  # known only at run time
        required = parameter.default is inspect.Parameter.empty
        fields[name] = (named, ... if required else parameter.default)
    return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)


def _own_description(hint: Any, parameter: inspect.Parameter) -> str | None:
    """The description from `Field(description=…)`, in the hint or as the default."""
    if isinstance(parameter.default, FieldInfo) and parameter.default.description:
        return parameter.default.description
    return FieldInfo.from_annotation(hint).description


def _explain(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(
        f"{'.'.join(str(part) for part in detail['loc']) or 'arguments'}: {detail['msg']}"
        for detail in details
    )
