# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The page of an experiment: guesses, winners and the setting, without scripts and network."""

from html import escape

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tallorder: the experiment</title>
<style>
body { font: 16px/1.5 sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 0 auto;
  padding: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; }
th, td { padding: 0.2rem 0.6rem; text-align: left; border-bottom: 1px solid #ddd;
  vertical-align: top; }
.warning { background: #fdf3e0; padding: 0.5rem; }
</style>
</head>
<body>
<h1>Which layout, on whose orders, at what price</h1>
"""

ADDRESS = """<p>To correct one address, a program stores the whole order again, in every layout: only
so is an order always one version. <em>replace</em> is the price of that. Writing the one cell would be
a single put in each layout but blob, and is not measured here.</p>
"""


def _table(header, rows):
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"

    return ("<div class=\"wide\"><table>\n" + line("th", map(escape, header))
            + "".join(line("td", row) for row in rows) + "</table></div>\n")


def _guesses(judged):
    words = {True: "held", False: "did not hold", None: "not known"}
    return _table(("Guess, made beforehand", "", "Figures"),
                  [(escape(g["guess"]), f"<strong>{words[g['held']]}</strong>",
                    escape(g["figures"])) for g in judged])


def _winners(winners, pages):
    rows = []
    for (stage, phase), best in winners.items():
        name = escape(stage)
        link = f"<a href=\"{name}.html\">{name}</a>" if stage in pages else name
        words = ("no difference between " if len(best) > 1 else "") + ", ".join(best)
        rows.append((link, escape(phase), escape(words)))
    return _table(("Measurement", "Operation", "Best"), rows)


def make_page(judged, winners, run, pages):
    """RUN: what run.json holds. PAGES: the stages that have a page of their own beside this one."""
    parts = [HEAD]
    if run["busy"]:
        parts.append(f"<p class=\"warning\">{escape(run['busy'])}</p>\n")
    if run["missing"]:
        parts.append("<p class=\"warning\">Not finished, or failed: "
                     f"{escape(', '.join(run['missing']))}</p>\n")
    parts += ["<h2>The guesses</h2>\n", _guesses(judged), ADDRESS, "<h2>The best</h2>\n",
              "<p>Of each measurement and operation, by the median rate of its turns; those whose turns "
              "overlap with the best are as good.</p>\n", _winners(winners, pages),
              "<h2>The setting</h2>\n",
              _table(("", ""), [(escape(name), escape(str(value)))
                                for name, value in run["setting"].items()]),
              _table(("Measurement", "Seconds", "Load before", "Command"),
                     [(escape(name), f"{stage['seconds']:.0f}", f"{stage['load']:.1f}",
                       f"<code>{escape(stage['command'])}</code>")
                      for name, stage in run["stages"].items()]),
              "</body>\n</html>\n"]
    return "".join(parts)
