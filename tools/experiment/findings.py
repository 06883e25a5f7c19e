# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What the results of an experiment say: winners, and whether the guesses held."""

import statistics

from .stages import AGES, LINES

SINGLE_ROW = ("blob", "wide")
BLOCK = 65536
ALIKE = 1.05  # rates that differ by less are not told apart


def get_rates(result, phase):
    """Layout or key → its rates, a value for each turn."""
    measured = [m for m in result["measurements"] if m["phase"] == phase]
    by_key = len({m["layout"] for m in measured}) == 1 and len(measured) > 1
    return {m["key" if by_key else "layout"]: m["operations_per_second"]["turns"] for m in measured}


def find_best(rates):
    """The fastest, and those whose turns overlap with it: nobody can tell them apart."""
    best = max(rates.values(), key=statistics.median)
    return sorted(name for name, turns in rates.items() if max(turns) >= min(best))


def find_winners(results):
    """(stage, phase) → the best of its layouts or keys."""
    winners = {}
    for name, result in results.items():
        for phase in dict.fromkeys(m["phase"] for m in result.get("measurements", [])):
            rates = get_rates(result, phase)
            if len(rates) > 1 and min(map(len, rates.values())) >= 3:
                winners[name, phase] = find_best(rates)
    return winners


def compare(ours, theirs):
    """Cells of two experiments that name winners of which none is the same."""
    found = find_winners(theirs)
    return [f"{stage}, {phase}: {', '.join(best)} here, {', '.join(found[stage, phase])} there"
            for (stage, phase), best in find_winners(ours).items()
            if (stage, phase) in found and not set(best) & set(found[stage, phase])]


def _ratio(values):
    return max(values) / min(values)


def _show(values):
    return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


def _stored(results):
    result = results.get("hbase-stored-fast_diff-gz")
    stored = {s["layout"]: s["compacted_bytes"] / result["orders"]
              for s in (result or {}).get("stored", [])}
    if not stored:
        return None, "not measured"
    return _ratio(stored.values()) <= 1.3, (
        f"bytes an order with FAST_DIFF and GZ, compacted: {_show(stored)}; "
        f"the most is {_ratio(stored.values()):.2f} times the least")


ARMS = {"ours": ("hbase-peer-", "ours"), "raw": ("hbase-get-", "floor"), "native": ("hbase-peer-", "floor")}


def _arm(results, lines, prefix, side):
    """Layout → microseconds of a fetch: the median of the runs."""
    found = {}
    for name, result in results.items():
        if not name.startswith(f"hbase-arms-{lines}-"):
            continue
        for figure in result["figures"]:
            if figure["id"].startswith(prefix):
                found.setdefault(figure["id"][len(prefix):], []).append(figure[side])
    return {layout: statistics.median(values) for layout, values in found.items()}


def list_arms(results, lines):
    """Means of ours and of HBase's own client, which were measured together; the median of raw requests."""
    return {arm: _arm(results, lines, *where) for arm, where in ARMS.items()}


def _native(results):
    arms = list_arms(results, 5)
    native, ours = arms["native"], arms["ours"]
    if not native:
        return None, "not measured"
    held = _ratio(native.values()) <= 1.2 < _ratio(ours.values())
    return held, (f"µs a fetch by HBase's client: {_show(native)} (most by least "
                  f"{_ratio(native.values()):.2f}); through the gateway: {_show(ours)} "
                  f"({_ratio(ours.values()):.2f})")


def get_median_rates(result, phase):
    return {name: statistics.median(turns) for name, turns in get_rates(result, phase).items()}


def _lead(rates):
    """The best of the layouts of a single row, by the best of the others."""
    single = [rate for layout, rate in rates.items() if layout in SINGLE_ROW]
    return max(single) / max(rate for layout, rate in rates.items() if layout not in SINGLE_ROW)


def _blocks(results):
    """On HBase, whose blocks have 64 KiB."""
    leads, agree = [], []
    for lines in LINES:
        result = results.get(f"hbase-lines-{lines}")
        stored = {s["layout"]: s["compacted_bytes"] for s in (result or {}).get("stored", [])}
        if "blob" not in stored:
            continue
        size = stored["blob"] / result["orders"]
        lead = _lead(get_median_rates(result, "get"))
        leads.append(f"{lines} lines ({size:.0f} bytes): {lead:.2f}")
        agree.append((size > BLOCK, lead < ALIKE))
    if len({larger for larger, _ in agree}) < 2:
        return None, "not measured on both sides of a block: " + "; ".join(leads)
    return (all(larger == lost for larger, lost in agree),
            "fetching, the best of blob and wide by the best of the others: " + "; ".join(leads))


def _age(results):
    """What is left of the rate of fetching after 100 replaces, on HBase if that was measured."""
    for prefix in ("hbase-", ""):
        new, old = (results.get(f"{prefix}age-{age}-as-it-is") for age in (AGES[0], AGES[-1]))
        before, after = (get_median_rates(result, "get") if result else {} for result in (new, old))
        if before and after:
            break
    else:
        return None, "not measured"
    left = {layout: after[layout] / before[layout] for layout in before}
    most_hurt = min(left.values())
    held = min(left[layout] for layout in SINGLE_ROW) > most_hurt * ALIKE
    return held, (f"rate of fetching after {AGES[-1]} replaces by that before, on {old['store']}: "
                  f"{_show(left)}")


DECIDERS = {"stored": _stored, "native": _native, "block": _blocks, "age": _age}


def judge(guesses, results):
    """Each guess with whether it held (None: nobody knows) and the figures that say so."""
    judged = []
    for guess in guesses:
        held, why = DECIDERS[guess["id"]](results)
        judged.append({**guess, "held": held, "figures": why})
    return judged


def list_prices(results):
    """What it costs to correct one address: an order that is replaced, and the cells that have it."""
    prices = []
    for result in results.values():
        for figure in result.get("figures", []):
            store, is_price, layout = figure["id"].partition("-address-")
            if is_price:
                prices.append({"store": store, "lines": result["lines"], "layout": layout,
                               "replace_us": figure["ours"], "cells": result[f"cells-{layout}"],
                               "cells_us": figure["floor"], "times": figure["ratio"]})
    return sorted(prices, key=lambda price: (price["store"] == "hbase", price["lines"]))
