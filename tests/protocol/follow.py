# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How an operation goes on where the tables do not take its calls: they are sealed or closed.
It reads the record until that names other tables, or these are open again. The rules of protocol.py
hold."""

from protocol import is_refused
from state import ABORTING, CLOSING, NOT_DONE, SEALING, UNKNOWN, Choose, ReadRecord, Shut

MAX_BEGUN = 3              # how often an operation begins; the store's limit is its time


def find_generation(operation):
    """(generation, layout) in which to go on; None: the operation's time is over, or another deployment
    has been made in the place of its own: what it knows is not of that."""
    if operation.variant.record == "guess":
        return operation.generation + 1, operation.layout + 1
    while True:
        record = yield ReadRecord()
        if not record.is_of(operation):
            return None
        if record.generation != operation.generation or record.phase not in (SEALING, CLOSING,
                                                                             ABORTING):
            return record.generation, record.layout
        del record
        if (yield Choose(2)):
            return None


def follow(operation, run, *arguments):
    """Does @run (operation, *arguments) in the generation that counts, from its beginning whenever the
    tables are shut. Returns (what it returns, the operation)."""
    for begun in range(MAX_BEGUN):
        operation = operation._replace(begun=begun)
        sent = None
        try:
            result = yield from run(operation, *arguments)
            return result, operation
        except Shut as shut:
            sent = shut.sent
        if sent:
            operation = operation._replace(sents=(*operation.sents, sent))
        place = None
        if operation.follows:
            place = yield from find_generation(operation)
        if place is None:
            break
        operation = operation._replace(generation=place[0], layout=place[1])
        del place, sent
    refused = all(is_refused(operation, sent) for sent in operation.sents)
    return NOT_DONE if refused else UNKNOWN, operation
