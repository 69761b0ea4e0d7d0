"""An OpenAPI document to one tool."""

from __future__ import annotations

import os
import re
from typing import Any, Final

from schemarouter.model.names import name_problem
from schemarouter.model.tool import EndpointSpec, ParameterSpec, ToolSpec
from schemarouter.sources.openapi.bodies import Body, read_body
from schemarouter.sources.openapi.classify import Classifier, selector
from schemarouter.sources.openapi.files import Files, Place, shown
from schemarouter.sources.openapi.keywords import text
from schemarouter.sources.openapi.lookalikes import lookalikes
from schemarouter.sources.openapi.model import Classify, OpenApiImport, Select
from schemarouter.sources.openapi.notes import Notes
from schemarouter.sources.openapi.operations import Found, check_names, find_operations
from schemarouter.sources.openapi.parameters import Parameter, collect_parameters
from schemarouter.sources.openapi.responses import output_schema
from schemarouter.sources.openapi.schemas import Piece, Schemas
from schemarouter.sources.openapi.servers import check_server_url, server_urls
from schemarouter.sources.openapi.soundness import Soundness
from schemarouter.sources.openapi.styles import DEFAULT_STYLES
from schemarouter.sources.problem import SourceError

_VERSION: Final = re.compile(r"3\.([012])(\.[0-9]+)?(-[A-Za-z0-9.]+)?")
_DIALECTS: Final = ("https://spec.openapis.org/oas/3.", "https://json-schema.org/draft/2020-12/schema")


def load_openapi(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    namespace: str | None = None,
    server_url: str | None = None,
    classify: Classify | None = None,
    select: Select | None = None,
    outputs: bool = False,
) -> OpenApiImport:
    """Import the OpenAPI 3.0, 3.1 or 3.2 document at ``path``, JSON or YAML, as one remote tool.

    ``name`` defaults to the file's own name as a slug (``GitHub REST.json`` is ``github-rest``): a name that is chosen
    here, and not by the document. ``server_url`` is where the application sends calls; the document's own URLs are only
    shown. ``classify`` corrects what the methods say (see :data:`~schemarouter.sources.openapi.model.Classify`), ``select``
    takes a part of the operations. ``outputs`` makes the 2xx schemas of the document part of the contract, so that a
    response that does not fit is withheld; real servers deviate from their documents, so it is off unless asked for.

    Raises :class:`~schemarouter.sources.problem.SourceError`: a document is taken as a whole or not at all.
    """
    files = Files(path)
    document = files.main()
    version = _check_document(document)
    if server_url is not None:
        server_url = check_server_url(server_url, "server_url")
    builder = _Builder(files, document, version, outputs)
    classifier, selected = Classifier(classify), selector(select)
    everything = find_operations(document, files, builder.notes, version)
    builder.others = lookalikes((each.operation.method, each.operation.path) for each in everything)
    found = [each for each in everything if selected(each.operation)]
    if not found:
        raise SourceError(
            _nothing(document, select is not None), where=str(document), help="pass a document with `paths`"
        )
    check_names(found)
    endpoints = [builder.endpoint(each, classifier) for each in found]
    classifier.finish()
    builder.input_soundness.check()
    builder.output_soundness.check()
    info = document.value.get("info")
    info = info if isinstance(info, dict) else {}
    tool = ToolSpec(
        name=_tool_name(name, files),
        namespace=namespace,
        endpoints=endpoints,
        description=text(info.get("description")) or text(info.get("title")),
        remote=True,
        source_type="openapi",
        license=_license(info),
        execution_metadata={"openapi": version} | ({"server_url": server_url} if server_url is not None else {}),
        metadata={"title": text(info.get("title")), "version": text(str(info.get("version", "")))},
    )
    return OpenApiImport(tool, builder.notes.all(), version, tuple(builder.servers))


def _check_document(document: Place) -> str:
    value = document.value
    if not isinstance(value, dict):
        raise SourceError(
            "the file is no OpenAPI document: it is no object", where=str(document), help="pass an OpenAPI document"
        )
    if "swagger" in value:
        raise SourceError(
            f"the document is Swagger {shown(str(value['swagger']))}, and OpenAPI 3.0, 3.1 and 3.2 are read",
            where=str(document),
            help="convert it to OpenAPI 3 with a converter of your choice",
        )
    version = value.get("openapi")
    if version is None:
        raise SourceError(
            "the file is no OpenAPI document: it has no `openapi` field",
            where=str(document),
            help="pass an OpenAPI document",
        )
    match = _VERSION.fullmatch(str(version)) if isinstance(version, str | float) else None
    if match is None:
        raise SourceError(
            f"OpenAPI `{shown(str(version))}` is not known: 3.0, 3.1 and 3.2 are read",
            where=str(document),
            help="convert it",
        )
    dialect = value.get("jsonSchemaDialect")
    if dialect is not None and not (isinstance(dialect, str) and dialect.startswith(_DIALECTS)):
        raise SourceError(
            "`jsonSchemaDialect` names a dialect that is not known",
            where=str(document),
            help="write schemas in 2020-12",
        )
    if "$self" in value and not isinstance(value["$self"], str):
        raise SourceError("`$self` is no text", where=str(document), help="remove it")
    return str(version)


def _nothing(document: Place, selected: bool) -> str:
    if selected:
        return "`select` takes none of the operations of the document"
    kinds = [key for key in ("webhooks", "components") if document.value.get(key)]
    return "the document has no operations to call" + (f", only `{'` and `'.join(kinds)}`" if kinds else "")


def _tool_name(name: str | None, files: Files) -> str:
    chosen = name if name is not None else re.sub(r"[^a-z0-9]+", "-", files.path.stem.lower()).strip("-")
    problem = name_problem(chosen)
    if problem is not None:
        raise SourceError(f"the name `{shown(chosen)}` of the tool {problem}", help="pass `name`")
    return chosen


def _license(info: dict[str, Any]) -> str | None:
    license_ = info.get("license")
    return text(license_["name"]) if isinstance(license_, dict) and isinstance(license_.get("name"), str) else None


class _Builder:
    """Endpoints of one document, with what they share."""

    def __init__(self, files: Files, document: Place, version: str, outputs: bool) -> None:
        self.notes = Notes()
        self._files, self._document = files, document
        modern = not version.startswith("3.0")
        self._schemas = Schemas(files, self.notes, modern=modern, response=False)
        self._outputs = Schemas(files, self.notes, modern=modern, response=True) if outputs else None
        self._credentials = _credentials(document, files)
        self.input_soundness, self.output_soundness = Soundness(), Soundness()
        self.servers = server_urls(document, files)
        self.others: dict[tuple[str, str], list[str]] = {}

    def endpoint(self, found: Found, classifier: Classifier) -> EndpointSpec:
        """One operation as an endpoint."""
        operation, place = found.operation, found.place
        parameters = collect_parameters(place, found.item, operation.path, self._credentials, self._files, self.notes)
        body = read_body(place, self._files, self.notes)
        unsendable = body if isinstance(body, str) else _unsendable(parameters, operation.method)
        if unsendable is not None:
            self.notes.add(place, f"the operation cannot be called: {unsendable}")
        body = None if isinstance(body, str) else body
        wire = _wire(parameters, body)
        if unsendable is not None:
            wire["unsendable"] = unsendable
        others = self.others.get((operation.method, operation.path))
        if others:
            wire["others"] = others
        servers = server_urls(place, self._files) or server_urls(found.item, self._files)
        if servers and servers != self.servers:
            wire["server"] = servers[0]
            if servers[0] not in self.servers:
                self.notes.add(place, f"the operation has a server of its own, `{shown(servers[0])}`")
        read_only, destructive = classifier.of(operation)
        output = {} if self._outputs is None else output_schema(place, self._files, self._outputs)
        self.output_soundness.add(output, place)
        description = text(place.value.get("description"))
        return EndpointSpec(
            name=operation.name,
            description=description or operation.summary,
            parameters=_parameter_specs(parameters, body),
            input_schema=self._input_schema(parameters, body, place),
            output_schema=output,
            method=operation.method,
            path=operation.path,
            read_only=read_only,
            destructive=destructive,
            execution_metadata=wire,
            metadata={
                "summary": operation.summary,
                "tags": list(operation.tags),
                "deprecated": operation.deprecated,
                "operation_id": text(operation.operation_id),
            },
        )

    def _input_schema(self, parameters: list[Parameter], body: Body | None, place: Place) -> dict[str, Any]:
        pieces: dict[str, tuple[Piece, str]] = {}
        required = []
        for parameter in parameters:
            piece = Piece({}) if parameter.schema is None else self._schemas.piece(parameter.schema)
            pieces[parameter.argument] = piece, parameter.description
            required += [parameter.argument] if parameter.required else []
        if body is not None:
            pieces["body"] = self._body_piece(body), text(body.description)
            required += ["body"] if body.required else []
        definitions = self._schemas.definitions([piece for piece, _ in pieces.values()], place)
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                argument: _described(piece.schema, description) for argument, (piece, description) in pieces.items()
            },
            "required": required,
            "additionalProperties": False,
        }
        if definitions:
            schema["$defs"] = definitions
        self.input_soundness.add(schema, place)
        return schema

    def _body_piece(self, body: Body) -> Piece:
        if body.own is not None or body.schema is None:
            return Piece(body.own or {}, values=4)
        piece = self._schemas.piece(body.schema)
        if body.binary and isinstance(piece.schema, dict):
            said = {name: {"description": "binary content, as base64 text"} for name in body.binary}
            piece.schema = {"allOf": [piece.schema], "properties": said}
            piece.values += 3 + 2 * len(said)
        return piece


def _described(schema: Any, description: str) -> Any:
    if not description or not isinstance(schema, dict) or "description" in schema:
        return schema
    return {"description": description, **schema}


def _credentials(document: Place, files: Files) -> frozenset[tuple[str, str]]:
    """Place and name of every API key: documents also declare them as parameters."""
    found = set()
    components = document.value.get("components")
    if isinstance(components, dict) and isinstance(components.get("securitySchemes"), dict):
        for name in components["securitySchemes"]:
            scheme = files.resolve(document.child("components", "securitySchemes", name)).value
            if isinstance(scheme, dict) and scheme.get("type") == "apiKey" and isinstance(scheme.get("name"), str):
                location = str(scheme.get("in"))
                found.add((location, scheme["name"].lower() if location == "header" else scheme["name"]))
    return frozenset(found)


def _unsendable(parameters: list[Parameter], method: str) -> str | None:
    for parameter in parameters:
        media_type = parameter.media_type
        known = (
            ("application/json", "application/x-www-form-urlencoded")
            if parameter.location == "querystring"
            else ("application/json",)
        )
        if media_type is not None and media_type not in known and not media_type.endswith("+json"):
            return f"the parameter `{parameter.name}` is written as `{media_type}`, which cannot be sent"
    if method == "TRACE":
        return "`TRACE` shows a client its own credentials and is not sent"
    return None


def _wire(parameters: list[Parameter], body: Body | None) -> dict[str, Any]:
    """What an invoker needs beyond names and locations: only what deviates from the defaults."""
    deviating: dict[str, Any] = {}
    for each in parameters:
        what: dict[str, Any] = {}
        if each.argument != each.name:
            what["name"] = each.name
        if each.media_type is not None:
            what["media_type"] = each.media_type
        else:
            if each.style != DEFAULT_STYLES[each.location]:
                what["style"] = each.style
            if each.explode != (each.style in ("form", "cookie", "deepObject")):
                what["explode"] = each.explode
            if each.reserved and each.location == "query":
                what["reserved"] = True
        if what:
            deviating[each.argument] = what
    wire: dict[str, Any] = {"parameters": deviating} if deviating else {}
    if body is not None:
        wire["body"] = {"media_type": body.media_type, "kind": body.kind}
        if body.encoding:
            wire["body"]["encoding"] = body.encoding
        if body.binary:
            wire["body"]["binary"] = list(body.binary)
    return wire


def _parameter_specs(parameters: list[Parameter], body: Body | None) -> list[ParameterSpec]:
    specs = [
        ParameterSpec(name=each.argument, required=each.required, description=each.description, location=each.location)
        for each in parameters
    ]
    if body is not None:
        specs.append(
            ParameterSpec(name="body", required=body.required, description=text(body.description), location="body")
        )
    return specs
