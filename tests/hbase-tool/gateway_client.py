# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A small client of the gateway: python3-thrift with code generated from idl/hbase.thrift."""

import subprocess
import sys

from thrift.protocol import TBinaryProtocol, TCompactProtocol
from thrift.transport import TSocket, TTransport

FAMILY, QUALIFIER = b"d", b"q"
TIMEOUT_MILLISECONDS = 90_000


def generate_bindings(idl, directory):
    """Generates Python code from IDL into DIRECTORY and makes it importable."""
    command = ["thrift", "--gen", "py", "-out", directory, str(idl)]
    subprocess.run(command, check=True, timeout=60)
    sys.path.insert(0, directory)


class Client:
    """Rows with one value each, over one connection in one of the gateway's modes."""

    def __init__(self, endpoint, mode="binary"):
        from hbase import Gateway

        host, _, port = endpoint.partition(":")
        socket = TSocket.TSocket(host, int(port))
        socket.setTimeout(TIMEOUT_MILLISECONDS)
        framed, compact = "framed" in mode, "compact" in mode
        wrap = TTransport.TFramedTransport if framed else TTransport.TBufferedTransport
        speak = TCompactProtocol.TCompactProtocol if compact else TBinaryProtocol.TBinaryProtocol
        self._transport = wrap(socket)
        self._gateway = Gateway.Client(speak(self._transport))
        self._transport.open()

    def close(self):
        self._transport.close()

    def create_table(self, table, splits=None):
        """SPLITS: row keys where regions begin; only unframed gateways understand them."""
        from hbase.ttypes import TColumnFamilyDescriptor, TTableDescriptor, TTableName

        family = TColumnFamilyDescriptor(name=FAMILY, maxVersions=2**31 - 1)
        name = TTableName(qualifier=table.encode())
        self._gateway.createTable(TTableDescriptor(tableName=name, columns=[family]), splits)

    def region_ports(self, table):
        """The ports of the region servers, one for each region of the table."""
        locations = self._gateway.getAllRegionLocations(table.encode())
        return [location.serverName.port for location in locations]

    def put(self, table, row, value):
        from hbase.ttypes import TColumnValue, TPut

        cell = TColumnValue(family=FAMILY, qualifier=QUALIFIER, value=value.encode())
        self._gateway.put(table.encode(), TPut(row=row.encode(), columnValues=[cell]))

    def get(self, table, row):
        from hbase.ttypes import TGet

        result = self._gateway.get(table.encode(), TGet(row=row.encode()))
        return result.columnValues[0].value.decode() if result.columnValues else None

    def rows(self, table, limit=100_000):
        """All rows: {row: value}."""
        from hbase.ttypes import TScan

        results = self._gateway.getScannerResults(table.encode(), TScan(caching=1000), limit)
        return {r.row.decode(): r.columnValues[0].value.decode() for r in results}
