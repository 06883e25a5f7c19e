# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What an experiment draws: the numbers of each drawing, as tallorder-bench-page takes them."""

from .findings import get_median_rates, list_arms
from .stages import AGES, CLIENTS, COMPRESSIONS, ENCODINGS, LINES, RESTS, SEVERAL_REGIONS

STORES = (("rocksdb", "", "embedded"), ("hbase", "hbase-", "HBase"))
AN_ORDER = "µs to fetch an order"
A_SECOND = "orders fetched a second"


def _collect(results, stages, get_values):
    """Names of all that is found, and for each stage that is there its place and their values."""
    found = [(place, get_values(results[stage])) for place, stage in stages if stage in results]
    names = list(dict.fromkeys(name for _, values in found for name in values))
    rows = [(place, [values.get(name) for name in names]) for place, values in found]
    return names, [row for row in rows if any(value is not None for value in row[1])]


def _lines(drawing, results, stages, get_values):
    names, rows = _collect(results, stages, get_values)
    return dict(drawing, names=names, rows=[[place, *values] for place, values in rows])


def _bars(drawing, results, stages, get_values):
    names, rows = _collect(results, stages, get_values)
    return dict(drawing, names=names, places=[place for place, _ in rows],
                rows=[values for _, values in rows])


def _fetched(result):
    return get_median_rates(result, "get")


def _mixed(result):
    return get_median_rates(result, "mix")


def _stored(result):
    return {s["layout"]: s["compacted_bytes"] / result["orders"] for s in result.get("stored", [])}


def _of_lines(results):
    for store, prefix, where in STORES:
        yield _lines({"id": f"fetch_{store}", "title": f"Fetching by lines an order, {where}",
                      "x": "lines an order", "y": A_SECOND},
                     results, [(n, f"{prefix}lines-{n}") for n in LINES], _fetched)


def _of_bytes(results):
    places = [(" and ".join(w for w in (encoding, compression) if w != "none") or "neither",
               f"hbase-stored-{encoding}-{compression}")
              for encoding in ENCODINGS for compression in COMPRESSIONS]
    yield _bars({"id": "stored", "title": "Bytes on the disk by block encoding and compression, HBase",
                 "x": "", "y": "bytes of an order, compacted"}, results, places, _stored)


def _of_age(results):
    for store, prefix, where in STORES:
        places = [(f"{age}{', compacted' if rest == 'compacted' else ''}", f"{prefix}age-{age}-{rest}")
                  for age in AGES for rest in RESTS]
        yield _bars({"id": f"age_{store}", "title": f"Fetching what was replaced so often, {where}",
                     "x": "replaces of each order", "y": A_SECOND}, results, places, _fetched)


def _of_clients(results):
    yield _lines({"id": "clients", "title": "A mix of operations by clients, embedded",
                  "x": "clients", "y": "operations a second"},
                 results, [(n, f"clients-{n}") for n in CLIENTS], _mixed)


def _of_cold(results):
    for store, prefix, where in STORES:
        places = [("ample", "warm"), ("2", "cache-2"), ("0.5", "cold"), ("0.125", "cache-0.125")]
        yield _bars({"id": f"cold_{store}", "title": f"Fetching with a small block cache, {where}",
                     "x": "block cache / what is stored", "y": A_SECOND},
                    results, [(place, prefix + stage) for place, stage in places], _fetched)


def _of_keys(results):
    places = [("1 region", "hbase-keys"), (f"{SEVERAL_REGIONS} regions", f"hbase-keys-{SEVERAL_REGIONS}")]
    yield _bars({"id": "keys", "title": "Fetching by key strategy, few customers with most of the orders, HBase",
                 "x": "", "y": A_SECOND}, results, places, _fetched)


def _of_arms(results):
    arms = list_arms(results, 5)
    places = [layout for layout in arms["ours"] if all(layout in arm for arm in arms.values())]
    yield {"id": "arms", "title": "Three ways to fetch the same order, HBase", "x": "", "y": AN_ORDER,
           "names": ["tallorder through the gateway (mean)", "raw request to the gateway (p50)",
                     "HBase client (mean)"], "places": places,
           "rows": [[arms[arm][layout] for arm in ("ours", "raw", "native")] for layout in places]}


def list_drawings(results):
    """Those of which something was measured, each in an entry of its own."""
    kinds = (_of_lines, _of_bytes, _of_age, _of_clients, _of_cold, _of_keys, _of_arms)
    return [drawing for kind in kinds for drawing in kind(results) if drawing["rows"]]
