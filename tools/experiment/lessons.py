# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What to take from an experiment: sentences that are made of its figures, and say them."""

import statistics
from collections import Counter

from .findings import SINGLE_ROW, find_best, get_median_rates, get_rates, list_arms, list_prices
from .stages import AGES, CLIENTS, SEVERAL_REGIONS

STORES = (("", "Embedded"), ("hbase-", "On HBase"))


def show(value):
    """At most three digits that mean something."""
    return f"{float(f'{value:.3g}'):,.10g}"


def _lesson(text, **figures):
    """FIGURES: the numbers in TEXT; what is not a number is a name."""
    shown = {name: value if isinstance(value, str) else show(value) for name, value in figures.items()}
    return {"text": text.format(**shown), "figures": figures}


def _join(names):
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _split(values, best):
    """The best of the layouts of a single row, and of the others; None unless there are both."""
    single = {name: value for name, value in values.items() if name in SINGLE_ROW}
    several = {name: value for name, value in values.items() if name not in SINGLE_ROW}
    if not single or not several:
        return None
    return best(single, key=single.get), best(several, key=several.get)


def _won(_, winners):
    for prefix, where in STORES:
        cells = [best for (stage, _), best in winners.items()
                 if stage.startswith(f"{prefix}lines-")]
        if cells:
            layout, n = Counter(name for best in cells for name in best).most_common(1)[0]
            yield _lesson(where + ", {layout} is the fastest layout, or as fast as it, in {n} of {all} "
                          "operations and numbers of lines.", layout=layout, n=n, all=len(cells))


def _fetched(results, _):
    for prefix, where in STORES:
        for lines in (5, 500):
            result = results.get(f"{prefix}lines-{lines}")
            rates = get_median_rates(result, "get") if result else {}
            found = _split(rates, max)
            if found:
                one, several = found
                yield _lesson(where + ", {one} fetches an order of {lines} lines {times} times as fast as "
                              "{several}, the fastest layout of several rows.", one=one, several=several,
                              lines=lines, times=rates[one] / rates[several])


def _stored(results, _):
    sizes = {}
    for name, words in (("none-none", "without encoding and compression"), ("fast_diff-gz", "with FAST_DIFF and GZ")):
        result = results.get(f"hbase-stored-{name}", {})
        stored = {s["layout"]: s["compacted_bytes"] for s in result.get("stored", [])}
        if stored:
            sizes[words] = (max(stored, key=stored.get), max(stored.values()) / min(stored.values()))
    for words, (layout, times) in sizes.items():
        yield _lesson("On HBase, stored " + words + ", {layout} takes the most bytes: {times} times the least.",
                      layout=layout, times=times)


def _compare(phase, before, after):
    """Layout → what is left of its rate; 1 where the turns overlap, so that nobody can say."""
    rates = [get_rates(result, phase) if result else {} for result in (before, after)]
    if rates[0].keys() != rates[1].keys():
        return {}
    left = {layout: statistics.median(rates[1][layout]) / statistics.median(turns)
            for layout, turns in rates[0].items()}
    return {layout: times if max(rates[1][layout]) < min(rates[0][layout]) else 1 for layout, times in left.items()}


def _aged(results, _):
    for prefix, where in STORES:
        new, old, settled = (results.get(f"{prefix}age-{name}") for name in (
            f"{AGES[0]}-as-it-is", f"{AGES[-1]}-as-it-is", f"{AGES[-1]}-compacted"))
        left, then = (_compare("get", new, result) for result in (old, settled))
        if left and then:
            worst = min(left, key=left.get)
            yield _lesson(where + ", after {age} replaces of each order {layout} loses most: {left} of its rate of "
                          "fetching is left, and after a compaction {settled}.", age=AGES[-1], layout=worst,
                          left=left[worst], settled="all of it" if then[worst] == 1 else then[worst])


def _arms(results, _):
    for lines in (5, 500):
        arms = list_arms(results, lines)
        found = _split(arms["ours"], min)
        if found and all(layout in arms["native"] for layout in found):
            layout = found[0]
            yield _lesson("Fetching an order of {lines} lines in {layout} takes {ours} µs by tallorder through the "
                          "gateway and {native} µs by HBase's own client.", lines=lines, layout=layout,
                          ours=arms["ours"][layout], native=arms["native"][layout])


def _together(results, _):
    few, many = (results.get(f"clients-{n}") for n in (CLIENTS[0], CLIENTS[-1]))
    rates = [get_median_rates(result, "mix") if result else {} for result in (few, many)]
    if rates[0] and rates[0].keys() == rates[1].keys():
        best = max(rates[1], key=rates[1].get)
        yield _lesson("Embedded, {clients} clients get {times} times the rate of one in {layout}.",
                      clients=CLIENTS[-1], layout=best, times=rates[1][best] / rates[0][best])


def _cold(results, _):
    for prefix, where in STORES:
        for phase, doing in (("get", "fetching"), ("list", "listing")):
            left = _compare(phase, *(results.get(f"{prefix}{name}") for name in ("warm", "cold")))
            if left and min(left.values()) == 1:
                yield _lesson(where + ", " + doing + " with a block cache that is too small could not be told from that "
                              "with a large one.")
            elif left:
                least, most = min(left, key=left.get), max(left, key=left.get)
                yield _lesson(where + ", a block cache that is too small leaves {least} of the rate of " + doing
                              + " in {first}, up to {most} in {last}.", first=least, least=left[least], last=most,
                              most=left[most])


def _keys(results, _):
    result = results.get(f"hbase-keys-{SEVERAL_REGIONS}")
    rates = get_rates(result, "get") if result else {}
    if len(rates) > 1:
        best = find_best(rates)
        same = "no difference between the keys " if len(best) > 1 else "the fastest key is "
        yield _lesson("On HBase with {regions} regions on one server, one client fetches: " + same + "{keys}.",
                      regions=SEVERAL_REGIONS, keys=_join(best))


def _corrected(results, _):
    for store, where in (("rocksdb", "Embedded"), ("hbase", "On HBase")):
        prices = {p["layout"]: p["times"] for p in list_prices(results)
                  if p["store"] == store and p["lines"] == 5}
        if prices:
            first, last = min(prices, key=prices.get), max(prices, key=prices.get)
            yield _lesson(where + ", to correct one address in an order of {lines} lines takes {least} times as "
                          "long as its cells alone in {first}, up to {most} times in {last}.", lines=5,
                          first=first, least=prices[first], last=last, most=prices[last])


def list_lessons(results, winners):
    """Those for which there are figures."""
    kinds = (_won, _fetched, _stored, _arms, _aged, _cold, _together, _keys, _corrected)
    return [lesson for kind in kinds for lesson in kind(results, winners)]
