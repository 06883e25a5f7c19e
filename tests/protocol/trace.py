# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A trace in words: what happened, call by call, and what the rows hold after each."""

from clients import Begin
from explore import ROWS
from linear import Delete, Put
from rows import EMPTY, Cell, DeleteAt
from state import LOST, Lineage, Read, State, WriteIf


def name(who):
    """Of a client (its index), or of one of its operations."""
    if isinstance(who, tuple):
        return f"{name(who[0])}{who[1] + 1}" if isinstance(who[1], int) else str(who)
    return "ABCDEFG"[who] if isinstance(who, int) else str(who)


def say_state(state):
    if state is None:
        return "none"
    words = ["nothing yet"]
    if state.revision:
        words = [f"R={state.revision}{'' if state.live else ' deleted'} by {name(state.token)}"]
    if isinstance(state.pending_token, Lineage):
        words[0] += f" over {state.pending_token.replaced}"
    if state.live:
        words.append("1 child" if state.n_children == 1 else f"{state.n_children} children")
    if state.pending:
        words.append(f"P={state.pending} {say_claim(state.pending_token)}")
    elif state.pending_token and not isinstance(state.pending_token, Lineage):
        words.append(f"given up {say_claim(state.pending_token)}")
    return f"s{{{', '.join(words)}}}"


def say_claim(token):
    if token == "somebody":
        return "by somebody"
    claimer, number = token
    return f"by {name(claimer)}" + (f" again ({number + 1})" if number else "")


def say_mutation(mutation):
    if isinstance(mutation, Cell):
        value = mutation.value
        said = say_state(value) if isinstance(value, State) else f"{mutation.qualifier}={value}"
        return f"{said} @{mutation.timestamp}"
    return f"delete {'' if isinstance(mutation, DeleteAt) else '≤ '}{mutation.timestamp}"


def say_call(call):
    if isinstance(call, Read):
        return f"read {call.row}"
    written = ", ".join(map(say_mutation, call.mutations))
    if isinstance(call, WriteIf):
        return f"if {say_state(call.expected)} → {written}"
    return f"write {call.row}: {written}"


def say_answer(call, answer):
    if answer == LOST:
        return "no answer"
    if isinstance(call, Read):
        return ", ".join(map(say_mutation, answer)) or "nothing"
    return {True: "yes", False: "did not match", None: "done"}[answer]


def say_event(event):
    if not isinstance(event, Begin):
        return f"{name(event.who)} is told: {event.result}"
    call = event.call
    if isinstance(call, Put):
        condition = "" if call.condition == "none" else f" if {call.condition}"
        return f"{name(event.who)} begins: put {call.value}{condition}"
    return f"{name(event.who)} begins: {'delete' if isinstance(call, Delete) else 'get'}"


def say_row(row):
    parts = [say_mutation(cell) for cell in row.cells]
    if row.deleted_up_to:
        parts.append(f"≤ {row.deleted_up_to} masked")
    parts += [f"{timestamp} masked" for timestamp in row.deleted_at]
    return ", ".join(parts) or "nothing"


def say_step(step):
    """Lines for one step of a trace."""
    began = [event for event in step.events if isinstance(event, Begin)]
    for event in began:
        yield f"{name(event.who[0])}  {say_event(event)}"
    if step.client == "compaction":
        yield "—  the table is compacted"
    else:
        note = f" ({step.note})" if step.note else ""
        who = "…  late:" if step.client == "late" else f"{name(step.client)} "
        yield f"{who} {say_call(step.call)}  ⇒ {say_answer(step.call, step.answer)}{note}"
    for event in step.events:
        if event not in began:
            yield f"{name(event.who[0])}  {say_event(event)}"


def say_trace(steps):
    """Lines for a whole trace; a row is shown when it has changed."""
    before = [EMPTY] * len(ROWS)
    for step, rows in steps:
        yield from say_step(step)
        for place, row, old in zip(ROWS, rows, before):
            if row != old:
                yield f"        {place}: {say_row(row)}"
        before = rows
