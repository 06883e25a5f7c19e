# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How an operation goes on where the tables do not take its calls: they are sealed or closed.
It reads the record until that names other tables, or these are open again. The rules of protocol.py
hold."""

from protocol import is_refused
from state import ABORTING, CLOSING, NOT_DONE, SEALING, UNKNOWN, Choose, ReadRecord, Shut

MAX_BEGUN = 3              # how often an operation begins; the store's limit is its time


def find_generation(operation):
    """The generation in which to go on; None: the operation's time is over."""
    if operation.variant.record == "guess":
        return operation.generation + 1
    while True:
        record = yield ReadRecord()
        if record.generation != operation.generation or record.phase not in (SEALING, CLOSING,
                                                                             ABORTING):
            return record.generation
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
        generation = None
        if operation.follows:
            generation = yield from find_generation(operation)
        if generation is None:
            break
        operation = operation._replace(generation=generation)
        del generation, sent
    refused = all(is_refused(operation, sent) for sent in operation.sents)
    return NOT_DONE if refused else UNKNOWN, operation
