# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""One Thrift call, written by hand, in every mode that a gateway speaks.

Only what "is it ready?" needs: a method with at most one string as argument, and whether the
reply carries a result. Formats: the Thrift specifications "binary protocol" (strict) and "compact
protocol"; a frame is a 4-byte big-endian length before the message.
"""

import socket
import struct

CALL, REPLY = 1, 2
STRUCT_END = b"\0"


class NotReady(Exception):
    """No connection, no reply, or a reply without a result."""


def call(address, mode, method, argument=None, timeout=5.0):
    """Calls METHOD at ADDRESS (host, port); returns when it has answered with a result."""
    codec = _Compact if mode.protocol == "compact" else _Binary
    message = codec.encode(method, argument)
    if mode.framed:
        message = struct.pack(">i", len(message)) + message
    try:
        with socket.create_connection(address, timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(message)
            receive = _receiver(connection)
            if mode.framed:
                receive(4)
            codec.check_reply(receive)
    except (OSError, struct.error) as error:
        raise NotReady(f"{address[0]}:{address[1]}: {error}") from error


def _receiver(connection):
    def receive(count):
        received = b""
        while len(received) < count:
            part = connection.recv(count - len(received))
            if not part:
                raise NotReady("connection closed by the gateway")
            received += part
        return received

    return receive


def _check_name_length(length):
    if not 0 <= length <= 128:
        raise NotReady("not a Thrift reply")


class _Binary:
    VERSION = 0x80010000
    STRING = 11

    @classmethod
    def encode(cls, method, argument):
        name = method.encode()
        message = struct.pack(">Ii", cls.VERSION | CALL, len(name)) + name + struct.pack(">i", 0)
        if argument is not None:
            text = argument.encode()
            message += struct.pack(">bhi", cls.STRING, 1, len(text)) + text
        return message + STRUCT_END

    @classmethod
    def check_reply(cls, receive):
        header, length = struct.unpack(">Ii", receive(8))
        _check_name_length(length)
        receive(length + 4)
        if header != cls.VERSION | REPLY or receive(1) == STRUCT_END:
            raise NotReady("the gateway answered with an error")
        if receive(2) != b"\0\0":
            raise NotReady("HBase behind the gateway answered with an error")


class _Compact:
    PROTOCOL, VERSION = 0x82, 1
    STRING_FIELD_1 = b"\x18"

    @classmethod
    def encode(cls, method, argument):
        name = method.encode()
        message = bytes([cls.PROTOCOL, CALL << 5 | cls.VERSION, 0, len(name)]) + name
        if argument is not None:
            text = argument.encode()
            message += cls.STRING_FIELD_1 + bytes([len(text)]) + text
        return message + STRUCT_END

    @classmethod
    def check_reply(cls, receive):
        protocol, kind, _sequence, length = receive(4)
        _check_name_length(length)
        receive(length)
        if (protocol, kind) != (cls.PROTOCOL, REPLY << 5 | cls.VERSION):
            raise NotReady("the gateway answered with an error")
        # A result is field 0, which has no short form: type alone in the byte, then the number.
        field = receive(1)[0]
        if field == 0 or field >> 4 != 0 or receive(1) != b"\0":
            raise NotReady("HBase behind the gateway answered with an error")
