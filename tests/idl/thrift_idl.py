# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Reads Thrift IDL as far as types and signatures go: structs, enums and one service."""

import re
from collections import namedtuple

Field = namedtuple("Field", "number requirement type name default")
Struct = namedtuple("Struct", "kind fields")
Method = namedtuple("Method", "returns arguments throws")

TOKEN = re.compile(
    r"""\s+ | //[^\n]* | \#[^\n]* | /\*.*?\*/
    | (?P<token> [A-Za-z_][\w.]* | -?\d+ | "[^"]*" | '[^']*' | [{}()<>\[\]:;,=*] )""",
    re.VERBOSE | re.DOTALL,
)


class IdlError(Exception):
    """The text is not IDL as this reader knows it."""


class Document:
    """structs: {name: Struct}, enums: {name: {value name: number}}, methods: {name: Method}."""

    def __init__(self, text):
        self._tokens = _tokenize(text)
        self._position = 0
        self.structs, self.enums, self.methods = {}, {}, {}
        while self._peek() is not None:
            self._definition()

    def _peek(self):
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _next(self, expected=None):
        token = self._peek()
        if token is None or expected not in (None, token):
            context = " ".join(self._tokens[max(0, self._position - 8) : self._position])
            raise IdlError(f"after “{context}”: expected {expected}, found {token}")
        self._position += 1
        return token

    def _skip(self, *tokens):
        if self._peek() in tokens:
            return self._next()
        return None

    def _definition(self):
        kind = self._next()
        if kind == "namespace":
            self._next()
            self._next()
        elif kind in ("struct", "union", "exception"):
            name = self._next()
            self.structs[name] = Struct(kind, self._fields("{", "}"))
        elif kind == "enum":
            name = self._next()
            self.enums[name] = self._enum_values()
        elif kind == "service":
            self._next()
            self._service()
        else:
            raise IdlError(f"cannot read a definition that starts with “{kind}”")

    def _enum_values(self):
        values, number = {}, 0
        self._next("{")
        while not self._skip("}"):
            name = self._next()
            if self._skip("="):
                number = int(self._next())
            values[name] = number
            number += 1
            self._skip(",", ";")
        return values

    def _service(self):
        self._next("{")
        while not self._skip("}"):
            returns = self._type()
            name = self._next()
            arguments = self._fields("(", ")")
            throws = self._fields("(", ")") if self._skip("throws") else {}
            self.methods[name] = Method(returns, arguments, throws)
            self._skip(",", ";")

    def _fields(self, opening, closing):
        fields = {}
        self._next(opening)
        while not self._skip(closing):
            number = int(self._next())
            self._next(":")
            requirement = self._skip("required", "optional")
            kind, name = self._type(), self._next()
            default = self._next() if self._skip("=") else None
            if number in fields:
                raise IdlError(f"field {number} stands twice ({fields[number].name}, {name})")
            fields[number] = Field(number, requirement, kind, name, default)
            self._skip(",", ";")
        return fields

    def _type(self):
        name = self._next()
        if not self._skip("<"):
            return name
        parts = [self._type()]
        while self._skip(","):
            parts.append(self._type())
        self._next(">")
        return f"{name}<{','.join(parts)}>"

    def constant(self, text):
        """A default as it is sent: an enum's value, written by name, as its number."""
        if text is None:
            return None
        enum, _, value = text.partition(".")
        return str(self.enums.get(enum, {}).get(value, text))


def _tokenize(text):
    tokens, position = [], 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise IdlError(f"cannot read “{text[position:position + 20]}”")
        if match["token"]:
            tokens.append(match["token"])
        position = match.end()
    return tokens
