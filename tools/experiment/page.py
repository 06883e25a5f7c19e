# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The page of an experiment, without scripts and network. Each of its numbers is in the summary."""

from html import escape

from .lessons import show

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tallorder: the experiment</title>
<style>
body { font: 16px/1.5 sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 0 auto;
  padding: 1rem; overflow-wrap: anywhere; }
.wide, figure { overflow-x: auto; }
figure { margin: 0; }
svg { width: 100%; min-width: 34rem; height: auto; }
table { border-collapse: collapse; font-size: 0.85rem; overflow-wrap: normal; }
th, td { padding: 0.2rem 0.6rem; text-align: left; border-bottom: 1px solid #ddd;
  vertical-align: top; }
code { min-width: 20rem; display: inline-block; }
summary { cursor: pointer; margin: 0.5rem 0; }
.warning { background: #fdf3e0; padding: 0.5rem; }
</style>
</head>
<body>
<h1>Which layout, on whose orders, at what price</h1>
"""

ADDRESS = """<h2>To correct one address</h2>
<p>To correct one address, a program stores the whole order again, in every layout: only so is an order
always one version. <em>Replace</em> is the price of that, the median of one client. Beside it stands what
a write of the cells costs that have the address: on HBase one raw request to the gateway. No program can
do that: the order would not be whole any more.</p>
"""


def _table(header, rows):
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"

    return ("<div class=\"wide\"><table>\n" + line("th", map(escape, header))
            + "".join(line("td", row) for row in rows) + "</table></div>\n")


def _lessons(lessons):
    return "<ul>\n" + "".join(f"<li>{escape(each['text'])}</li>\n" for each in lessons) + "</ul>\n"


def _drawings(drawings, drawn):
    return "".join(f"<h3>{escape(each['title'])}</h3>\n<figure>{drawn[each['id']]}</figure>\n"
                   for each in drawings)


def _prices(prices):
    rows = [(escape(p["store"]), show(p["lines"]), escape(p["layout"]), show(p["replace_us"]),
             show(p["cells"]), show(p["cells_us"]), show(p["times"])) for p in prices]
    return ADDRESS + (_table(("Store", "Lines", "Layout", "Replace, µs", "Cells", "These alone, µs", "Times"),
                             rows) if rows else "<p>It was not measured.</p>\n")


def _guesses(judged):
    words = {True: "held", False: "did not hold", None: "not known"}
    return _table(("Guess, made beforehand", "", "Figures"),
                  [(escape(g["guess"]), f"<strong>{words[g['held']]}</strong>",
                    escape(g["figures"])) for g in judged])


def _winners(winners, pages):
    rows = []
    for each in winners:
        name, best = escape(each["measurement"]), each["best"]
        link = f"<a href=\"{name}.html\">{name}</a>" if each["measurement"] in pages else name
        words = ("no difference between " if len(best) > 1 else "") + ", ".join(best)
        rows.append((link, escape(each["operation"]), escape(words)))
    return _table(("Measurement", "Operation", "Best"), rows)


def _warnings(summary):
    texts = [summary["busy"]] if summary["busy"] else []
    if summary["missing"]:
        texts.append(f"Not finished, or failed: {', '.join(summary['missing'])}")
    return "".join(f"<p class=\"warning\">{escape(text)}</p>\n" for text in texts)


def _setting(summary):
    return (_table(("", ""), [(escape(name), escape(str(value)))
                              for name, value in summary["setting"].items()])
            + _table(("Measurement", "Seconds", "Load before", "Commit", "Command"),
                     [(escape(name), show(stage["seconds"]), show(stage["load"]), escape(stage["commit"]),
                       f"<code>{escape(stage['command'])}</code>")
                      for name, stage in summary["stages"].items()]))


def make_page(summary, pages, drawn):
    """SUMMARY: what summary.json holds. PAGES: the stages that have a page of their own beside this one.
    DRAWN: the drawing of each id."""
    return "".join([
        HEAD, _warnings(summary),
        "<h2>What to take from it</h2>\n", _lessons(summary["lessons"]),
        "<h2>The guesses</h2>\n", _guesses(summary["guesses"]),
        "<h2>The figures</h2>\n", _drawings(summary["drawings"], drawn),
        _prices(summary["prices"]),
        "<h2>The best</h2>\n<p>Of each measurement and operation, by the median rate of its turns; those whose "
        "turns overlap with the best are as good.</p>\n",
        "<details><summary>All of them</summary>\n", _winners(summary["winners"], pages), "</details>\n",
        "<h2>The setting</h2>\n", _setting(summary), "</body>\n</html>\n"])
