/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include "base/text.h"
#include "cli/output.h"
#include "store/record/generation.h"
#include "table/table-checks.h"
#include "tall-error.h"

#define SECONDS(microseconds) ((gdouble)(microseconds) / G_USEC_PER_SEC)

static void
print_bytes (const char *before, guint64 n_bytes, const char *after)
{
  tall_print ("%s%.1f MB%s", before, (gdouble)n_bytes / 1e6, after);
}

/* Of what tall_indexes_print() gives. An attribute's name may have the separator in it. */
static void
print_gone (const char *from, const char *to)
{
  g_auto (GStrv) before = g_strsplit (from, ", ", 0);
  g_autofree char *after = g_strconcat (", ", to, ",", NULL);
  g_autoptr (GString) gone = g_string_new (NULL);
  for (guint i = 0; before[i] != NULL; i++)
    {
      gboolean is_kind = i == 0;
      gsize len = strcspn (before[i], "=");
      g_autofree char *name =
          g_strdup_printf (", %.*s%c", (int)len, before[i], is_kind ? ',' : '=');
      if ((is_kind ? g_str_equal (before[i], "date") : before[i][len] == '=')
          && strstr (after, name) == NULL)
        g_string_append_printf (gone, "%s%.*s", gone->len > 0 ? ", " : "", (int)len, before[i]);
    }
  if (gone->len > 0)
    tall_print ("  Gone afterwards: index %s\n", gone->str);
}

static void
print_plan (const TallMigratePlan *plan)
{
  tall_print ("%s\n"
              "  from layout %s, key %s, index %s\n"
              "    to layout %s, key %s, index %s (generation %" G_GUINT64_FORMAT ")\n",
              plan->resumed ? "Goes on" : "Moves", plan->from_layout, plan->from_key_strategy,
              plan->from_index, plan->to_layout, plan->to_key_strategy, plan->to_index,
              plan->target);
  print_gone (plan->from_index, plan->to_index);
  tall_print ("  %" G_GUINT64_FORMAT " orders, %" G_GUINT64_FORMAT " customers, %" G_GUINT64_FORMAT
              " lines",
              plan->n_orders, plan->n_customers, plan->n_lines);
  print_bytes (", about ", plan->n_bytes, "\n");
  print_bytes ("  needs about ", plan->needed, "");
  if (!plan->has_room)
    tall_print (" of room; how much there is, is not known here\n");
  else
    print_bytes (", and there is room for ", plan->room, "\n");
  tall_print ("  copies for about %.0f s while services go on; then writes wait for about %.1f s "
              "(allowed: %.1f s)\n",
              SECONDS (plan->copy_time), SECONDS (plan->pause), SECONDS (plan->pause_limit));
  if (plan->n_loads > 0)
    tall_print ("  %u %s not ended: a load goes on in the new tables\n", plan->n_loads,
                plan->n_loads == 1 ? "load has" : "loads have");
}

static void
print_plan_json (const TallMigratePlan *plan)
{
  JsonBuilder *builder = tall_json_line_new ("plan");
  tall_json_add_flag (builder, "resumed", plan->resumed);
  tall_json_add_text (builder, "from_layout", plan->from_layout);
  tall_json_add_text (builder, "from_key_strategy", plan->from_key_strategy);
  tall_json_add_text (builder, "from_index", plan->from_index);
  tall_json_add_text (builder, "to_layout", plan->to_layout);
  tall_json_add_text (builder, "to_key_strategy", plan->to_key_strategy);
  tall_json_add_text (builder, "to_index", plan->to_index);
  tall_json_add_number (builder, "generation", plan->generation);
  tall_json_add_number (builder, "target", plan->target);
  tall_json_add_number (builder, "orders", plan->n_orders);
  tall_json_add_number (builder, "customers", plan->n_customers);
  tall_json_add_number (builder, "lines", plan->n_lines);
  tall_json_add_number (builder, "bytes", plan->n_bytes);
  tall_json_add_number (builder, "needed", plan->needed);
  if (plan->has_room)
    tall_json_add_number (builder, "room", plan->room);
  tall_json_add_number (builder, "copy_ms", (guint64)plan->copy_time / 1000);
  tall_json_add_number (builder, "pause_ms", (guint64)plan->pause / 1000);
  tall_json_add_number (builder, "pause_limit_ms", (guint64)plan->pause_limit / 1000);
  tall_json_add_number (builder, "loads", plan->n_loads);
  tall_json_line_end (builder);
}

void
tall_migrate_report_plan (const TallMigratePlan *plan, gboolean json)
{
  tall_progress_clear ();
  if (json)
    print_plan_json (plan);
  else
    print_plan (plan);
  tall_output_flush (); /* it is to be seen before anything begins */
}

/**
 * tall_migrate_report_resumed:
 * @has_plan: (inout): whether a plan, or this, was said
 *
 * Says that a migration goes on whose tables are shut. There is no plan then: others would wait for
 * it.
 */
void
tall_migrate_report_resumed (TallMigrateStage stage, gboolean json, gboolean *has_plan)
{
  if (*has_plan || stage < TALL_MIGRATE_SEALING || stage > TALL_MIGRATE_CLOSING)
    return;
  *has_plan = TRUE;
  tall_progress_clear ();
  if (!json)
    tall_print ("Goes on (%s) at once, without a plan, because others wait\n",
                tall_migrate_stages[stage]);
  tall_output_flush ();
}

static void
print_unfit (const TallMigrateUnfit *unfit)
{
  g_autofree char *row = tall_slice_to_debug (unfit->row);
  g_autofree char *owner =
      unfit->customer_number == NULL ? g_strdup_printf ("row %s of table %s", row, unfit->table)
      : unfit->order_number == NULL
          ? g_strdup_printf ("customer %s", unfit->customer_number)
          : g_strdup_printf ("order %s of %s", unfit->order_number, unfit->customer_number);
  g_autofree char *clean = tall_text_clean (owner);
  g_autofree char *message = tall_text_clean (unfit->message);
  tall_print_styled (TALL_STYLE_BAD, "does not fit");
  tall_print ("  %s: %s\n", clean, message);
}

static void
print_unfit_json (const TallMigrateUnfit *unfit)
{
  g_autofree char *row = tall_slice_to_hex (unfit->row);
  JsonBuilder *builder = tall_json_line_new ("unfit");
  tall_json_add_text (builder, "customer_number", unfit->customer_number);
  tall_json_add_text (builder, "order_number", unfit->order_number);
  tall_json_add_text (builder, "table", unfit->table);
  tall_json_add_text (builder, "row", row);
  tall_json_add_text (builder, "message", unfit->message);
  tall_json_line_end (builder);
}

void
tall_migrate_report_unfit (const TallMigrateUnfit *unfit, gboolean json)
{
  tall_progress_clear ();
  if (json)
    print_unfit_json (unfit);
  else
    print_unfit (unfit);
}

static void
append_progress (GString *line, const TallMigrateProgress *progress, gboolean bar)
{
  g_string_append (line, tall_migrate_stages[progress->stage]);
  if (progress->pass > 0)
    g_string_append_printf (line, ", pass %u", progress->pass);
  g_string_append (line, bar ? "  " : ", ");
  if (progress->n_all > 0 && bar)
    tall_progress_append_bar (line, progress->n_looked, progress->n_all);
  g_string_append_printf (line, "%" G_GUINT64_FORMAT " looked at, %" G_GUINT64_FORMAT " copied",
                          progress->n_looked, progress->n_copied);
}

/**
 * tall_migrate_report_append:
 * @bar: with a bar
 *
 * Appends how far a task is that runs in a server, how fast, and what is left.
 */
void
tall_migrate_report_append (GString *line, const TallMigrateState *state, gboolean bar)
{
  const TallMigrateProgress *progress = &state->progress;
  const TallMigratePlan *plan = state->plan;
  if (state->task == TALL_MIGRATE_DROP_SOURCE)
    {
      g_string_append (line, "tables from before the switch are being removed");
      return;
    }
  append_progress (line, progress, bar);
  if (plan != NULL && progress->n_all > 0)
    {
      gdouble part = MIN ((gdouble)progress->n_looked / (gdouble)progress->n_all, 1);
      g_string_append_printf (line, ", %.1f of %.1f MB", (gdouble)plan->n_bytes * part / 1e6,
                              (gdouble)plan->n_bytes / 1e6);
    }
  if (state->rate > 0)
    g_string_append_printf (line, ", %" G_GUINT64_FORMAT "/s", state->rate);
  if (state->time_left > 0)
    g_string_append_printf (line, ", %.0f s left", SECONDS (state->time_left));
  if (plan != NULL)
    g_string_append_printf (line, ", pause about %.1f s", SECONDS (plan->pause));
}

void
tall_migrate_report_progress (const TallMigrateProgress *progress)
{
  g_autoptr (GString) line = g_string_new (NULL);
  append_progress (line, progress, TRUE);
  tall_progress_show_text (line->str);
}

static void
print_summary (const TallMigrateSummary *summary, gint64 limit)
{
  if (summary->outcome == TALL_MIGRATE_UNCHANGED)
    {
      tall_print ("There is nothing to change: the deployment is like that already.\n");
      return;
    }
  tall_print ("%" G_GUINT64_FORMAT " orders and customers looked at, %" G_GUINT64_FORMAT
              " copied in %u %s\n",
              summary->n_looked, summary->n_copied, summary->n_passes,
              summary->n_passes == 1 ? "pass" : "passes");
  if (summary->outcome == TALL_MIGRATE_SWITCHED)
    tall_print_styled (TALL_STYLE_GOOD, "Generation %" G_GUINT64_FORMAT " counts",
                       summary->generation);
  if (summary->outcome == TALL_MIGRATE_SWITCHED && summary->pause > 0)
    tall_print (": writes waited for %.2f s", SECONDS (summary->pause));
  if (summary->outcome == TALL_MIGRATE_SWITCHED)
    tall_print (".\nThe old tables are closed; --drop-source removes them.\n");
  if (summary->outcome == TALL_MIGRATE_PASSED)
    tall_print ("All is copied. Migrate without --pass-only to switch: writes would wait for about "
                "%.1f s.\n",
                SECONDS (summary->pause));
  if (summary->outcome == TALL_MIGRATE_TOO_LONG)
    tall_print_error ("Not switched: writes would wait for about %.1f s, and %.1f s are allowed. "
                      "The migration stays begun, with all that is copied, and nothing waits: "
                      "migrate again with a longer --pause, or when less is written, and it goes "
                      "on; --abort gives it up",
                      SECONDS (summary->pause),
                      SECONDS (limit != 0 ? limit : TALL_MIGRATE_USUAL_PAUSE));
  if (summary->outcome == TALL_MIGRATE_UNFIT)
    tall_print_error ("Not switched: %" G_GUINT64_FORMAT " cannot be copied, and are named above; "
                      "mend or delete them and migrate again, or give up with --abort",
                      summary->n_unfit);
  if (summary->outcome == TALL_MIGRATE_OVERTAKEN)
    tall_print_error ("Another process has given the migration up, or gives it up now");
}

static void
print_summary_json (const TallMigrateSummary *summary)
{
  JsonBuilder *builder = tall_json_line_new ("summary");
  tall_json_add_text (builder, "outcome", tall_migrate_outcomes[summary->outcome]);
  tall_json_add_number (builder, "generation", summary->generation);
  tall_json_add_number (builder, "passes", summary->n_passes);
  tall_json_add_number (builder, "looked_at", summary->n_looked);
  tall_json_add_number (builder, "copied", summary->n_copied);
  tall_json_add_number (builder, "unfit", summary->n_unfit);
  tall_json_add_number (builder, "pause_ms", (guint64)summary->pause / 1000);
  tall_json_line_end (builder);
}

/**
 * tall_migrate_report_summary:
 * @limit: microseconds that writes might wait; 0: the usual
 */
void
tall_migrate_report_summary (const TallMigrateSummary *summary, gint64 limit, gboolean json)
{
  if (json)
    print_summary_json (summary);
  else
    print_summary (summary, limit);
  tall_output_flush ();
  if (summary->outcome == TALL_MIGRATE_SWITCHED && !tall_output_works ())
    tall_print_error ("It has switched, which could not be printed: generation %" G_GUINT64_FORMAT
                      " counts",
                      summary->generation);
}

/* @n_tables: that are removed; -1: it is not about them */
static void
print_outcome_json (const char *outcome, gint64 n_tables)
{
  JsonBuilder *builder = tall_json_line_new ("summary");
  tall_json_add_text (builder, "outcome", outcome);
  if (n_tables >= 0)
    tall_json_add_number (builder, "tables", (guint64)n_tables);
  tall_json_line_end (builder);
}

/**
 * tall_migrate_report_aborted:
 * @was_moving: there was something to give up
 */
void
tall_migrate_report_aborted (gboolean was_moving, gboolean json)
{
  if (json)
    print_outcome_json (was_moving ? "aborted" : "nothing", -1);
  else
    tall_print ("%s; all tables are open.\n",
                was_moving ? "The migration is given up, and what was copied is dropped"
                           : "No migration is going on, so there is nothing to give up");
}

void
tall_migrate_report_dropped (guint n, gboolean json)
{
  if (json)
    print_outcome_json ("dropped", n);
  else
    tall_print ("%u %s removed.\n", n, n == 1 ? "table is" : "tables are");
}
