"""Reads a YAML document into plain values, within limits and without surprises.

Only what JSON can say is accepted: mappings with string keys, lists, strings, numbers, true/false and null. Anchors,
aliases and tags are refused, so a small file cannot grow in memory, and `no`, `on` or `2026-03-01` stay strings.
"""

import re
from typing import TypeAlias

import yaml

from services.runtime.errors import FieldViolation, InvalidField

MAX_CHARACTERS = 65_536
MAX_DEPTH = 16
MAX_NODES = 5_000

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})\Z")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]{1,3})?\Z")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


def read_yaml(text: str, *, at: str = "yaml") -> Plain:
    """Parses one document. Raises InvalidField with `at`, the path inside the document and the line."""
    if len(text) > MAX_CHARACTERS:
        raise _problem(at, f"{len(text)} characters, at most {MAX_CHARACTERS} are read")
    try:
        _check_events(text, at)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise _problem(at, f"{where}{error.problem or 'not valid YAML'}") from None
    except yaml.YAMLError as error:
        raise _problem(at, str(error).splitlines()[0]) from None
    if node is None:
        raise _problem(at, "the document is empty")
    return _plain(node, at)


def _check_events(text: str, at: str) -> None:
    """Depth, size and aliases are checked on the event stream, before anything recursive sees the document."""
    depth = nodes = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        where = f"line {event.start_mark.line + 1}: " if event.start_mark else ""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _problem(at, where + "anchors and aliases are not accepted")
        if getattr(event, "tag", None) is not None:
            raise _problem(at, where + "tags are not accepted")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        nodes += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH:
            raise _problem(at, where + f"nested deeper than {MAX_DEPTH}")
        if nodes > MAX_NODES:
            raise _problem(at, where + f"more than {MAX_NODES} values")


def _plain(node: yaml.Node, path: str) -> Plain:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, f"{path}[{index}]") for index, item in enumerate(node.value)]
    return _scalar(node)


def _mapping(node: yaml.MappingNode, path: str) -> dict[str, Plain]:
    result: dict[str, Plain] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise _problem(path, f"line {line}: a key must be a plain word")
        key = str(key_node.value)
        if key in result:
            raise _problem(f"{path}.{key}", f"line {line}: the key stands twice")
        result[key] = _plain(value_node, f"{path}.{key}")
    return result


def _scalar(node: yaml.Node) -> Plain:
    text = str(node.value)
    if getattr(node, "style", None) is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text


def _problem(path: str, description: str) -> InvalidField:
    return InvalidField(FieldViolation(path, description))
