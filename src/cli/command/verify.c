/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/output.h"
#include "cli/options.h"
#include "base/text.h"

/* Findings of a kind that each get their line; a disk that was full may leave thousands. */
#define MAX_SHOWN 20

/* A verification in progress. */
typedef struct
{
  gboolean json;
  gboolean repair;
  guint sample;         /* percent; 0: all */
  const char *customer; /* the only one that is looked at; NULL: all */
  gboolean waits;
  const gint *stop;
  guint64 n_of_kind[TALL_N_FINDING_KINDS];
  guint64 n_shown[TALL_N_FINDING_KINDS]; /* of them, to people */
  JsonBuilder *notes;                    /* an array of them; not owned */
} Verify;

/* Names the owner of the row, as in a sentence. */
static char *
name_owner (const TallFinding *finding)
{
  if (finding->customer_number == NULL)
    return g_strdup ("");
  g_autofree char *owner =
      finding->order_number != NULL
          ? g_strdup_printf ("order %s of %s", finding->order_number, finding->customer_number)
          : g_strdup_printf ("customer %s", finding->customer_number);
  return tall_text_clean (owner);
}

static void
print_finding (const Verify *self, const TallFinding *finding)
{
  const TallFindingInfo *info = tall_finding_kind_info (finding->kind);
  g_autofree char *owner = name_owner (finding);
  g_autofree char *row = tall_slice_to_debug (finding->row);
  g_autofree char *table = tall_text_clean (finding->table);
  g_autofree char *message = tall_text_clean (finding->message);
  tall_print_styled (info->needs_person ? TALL_STYLE_BAD : TALL_STYLE_BOLD, "%-16s", info->name);
  tall_print (" %s", owner);
  if (!tall_finding_kind_is_note (finding->kind))
    tall_print ("%stable %s%s%s: ", *owner != '\0' ? ", " : "", table,
                finding->row.len > 0 ? ", row " : "", row);
  tall_print ("%s", message);
  if (finding->detail != NULL)
    {
      g_autofree char *detail = tall_text_clean (finding->detail);
      tall_print (" (%s)", detail);
    }
  if (self->repair && !tall_finding_kind_is_note (finding->kind))
    tall_print_styled (finding->mended ? TALL_STYLE_GOOD : TALL_STYLE_BAD, " (%s)",
                       finding->mended ? "mended" : "left");
  tall_print ("\n");
}

/* Rows and servers may say anything, and JSON may go to a terminal, too. */
static void
add_clean (JsonBuilder *builder, const char *name, const char *text)
{
  g_autofree char *clean = text != NULL ? tall_text_clean (text) : NULL;
  tall_json_add_text (builder, name, clean);
}

static void
print_finding_json (const TallFinding *finding)
{
  const TallFindingInfo *info = tall_finding_kind_info (finding->kind);
  g_autofree char *row = tall_slice_to_hex (finding->row);
  JsonBuilder *builder = tall_json_line_new ("finding");
  tall_json_add_text (builder, "kind", info->name);
  add_clean (builder, "table", finding->table);
  tall_json_add_text (builder, "row", row);
  tall_json_add_number (builder, "rows", finding->n_rows);
  add_clean (builder, "customer_number", finding->customer_number);
  add_clean (builder, "order_number", finding->order_number);
  if (finding->revision != 0)
    tall_json_add_number (builder, "revision", finding->revision);
  add_clean (builder, "message", finding->message);
  if (finding->detail != NULL)
    add_clean (builder, "detail", finding->detail);
  tall_json_add_flag (builder, "needs_person", info->needs_person);
  tall_json_add_flag (builder, "mended", finding->mended);
  tall_json_line_end (builder);
}

/* Notes come with the summary, as nothing is wrong. */
static void
add_note (JsonBuilder *notes, const TallFinding *finding)
{
  json_builder_begin_object (notes);
  tall_json_add_text (notes, "kind", tall_finding_kind_info (finding->kind)->name);
  add_clean (notes, "message", finding->message);
  if (finding->load != NULL)
    tall_list_add_load (&(TallList){ .builder = notes }, finding->load);
  json_builder_end_object (notes);
}

/* What is left to a person is shown, however much there is. */
static gboolean
is_shown (const Verify *self, const TallFinding *finding)
{
  return self->n_shown[finding->kind] < MAX_SHOWN || (self->repair && !finding->mended)
         || tall_finding_kind_info (finding->kind)->needs_person;
}

static void
on_finding (const TallFinding *finding, gpointer data)
{
  Verify *self = data;
  tall_progress_clear ();
  self->n_of_kind[finding->kind]++;
  if (self->json && tall_finding_kind_is_note (finding->kind))
    add_note (self->notes, finding);
  else if (self->json)
    print_finding_json (finding);
  else if (is_shown (self, finding))
    {
      self->n_shown[finding->kind]++;
      print_finding (self, finding);
    }
}

/* Says once that nothing answers, as that may take a minute. */
static void
say_trouble (Verify *self, const char *trouble)
{
  if (trouble != NULL && !self->waits)
    {
      g_autofree char *clean = tall_text_clean (trouble);
      tall_progress_clear ();
      tall_print_error ("%s (waiting for it)", clean);
    }
  self->waits = trouble != NULL;
}

static gboolean
on_progress (const TallVerifySummary *summary, gpointer data)
{
  Verify *self = data;
  say_trouble (self, summary->trouble);
  g_autofree char *text =
      g_strdup_printf ("%" G_GUINT64_FORMAT " orders, %" G_GUINT64_FORMAT
                       " customers, %" G_GUINT64_FORMAT " hints, %" G_GUINT64_FORMAT " findings",
                       summary->n_orders, summary->n_customers, summary->n_hints,
                       summary->n_findings);
  tall_progress_show_text (text);
  return g_atomic_int_get (self->stop) == 0 && tall_output_works ();
}

/* What the kinds that were found mean, each once. */
static void
explain (const Verify *self)
{
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    {
      const TallFindingInfo *info = tall_finding_kind_info (i);
      if (self->n_of_kind[i] == 0)
        continue;
      tall_print ("\n");
      tall_print_styled (TALL_STYLE_BOLD, "%s", info->name);
      tall_print (" (%" G_GUINT64_FORMAT, self->n_of_kind[i]);
      if (self->n_shown[i] < self->n_of_kind[i])
        tall_print (", of which %" G_GUINT64_FORMAT " are shown; --json shows all",
                    self->n_shown[i]);
      tall_print ("): %s.\n  %s: %s.\n", info->meaning,
                  tall_finding_kind_is_note (i) ? "What to do" : "What mends it", info->remedy);
    }
}

/* A sample says nothing of what it has left out. */
static gboolean
is_all (const Verify *self, const TallVerifySummary *summary)
{
  return summary->is_whole && self->sample == 0;
}

/* Whether nothing of the customer is stored. */
static gboolean
is_absent (const Verify *self, const TallVerifySummary *summary)
{
  return self->customer != NULL && summary->n_orders + summary->n_customers == 0;
}

static const char *
judge (const Verify *self, const TallVerifySummary *summary)
{
  return is_all (self, summary) && !is_absent (self, summary) ? "sound" : "nothing found";
}

static void
print_summary (const Verify *self, const TallVerifySummary *summary)
{
  explain (self);
  tall_print ("%sVerified %" G_GUINT64_FORMAT " orders, %" G_GUINT64_FORMAT
              " customers, %" G_GUINT64_FORMAT " hints and %" G_GUINT64_FORMAT " rows of ids",
              summary->n_findings + summary->n_notes > 0 ? "\n" : "", summary->n_orders,
              summary->n_customers, summary->n_hints, summary->n_ids);
  if (summary->n_marks > 0)
    tall_print (" (deleted orders: %" G_GUINT64_FORMAT ")", summary->n_marks);
  if (self->sample > 0)
    tall_print (" of a sample of %u %%", self->sample);
  tall_print (": ");
  if (summary->n_findings == 0)
    tall_print_styled (TALL_STYLE_GOOD, "%s\n", judge (self, summary));
  else
    tall_print ("%" G_GUINT64_FORMAT " found, of which %" G_GUINT64_FORMAT " need%s a person",
                summary->n_findings, summary->n_for_person, summary->n_for_person == 1 ? "s" : "");
  if (summary->n_findings > 0 && self->repair)
    tall_print (" and %" G_GUINT64_FORMAT " %s mended", summary->n_mended,
                summary->n_mended == 1 ? "is" : "are");
  if (summary->n_findings > 0)
    tall_print ("\n");
  if (summary->n_busy > 0)
    tall_print ("%" G_GUINT64_FORMAT " orders were written each time they were looked at, and are "
                "not judged.\n",
                summary->n_busy);
}

static void
print_summary_json (const Verify *self, const TallVerifySummary *summary)
{
  JsonBuilder *builder = tall_json_line_new ("summary");
  tall_json_add_number (builder, "orders", summary->n_orders);
  if (summary->n_marks > 0)
    tall_json_add_number (builder, "marks", summary->n_marks);
  tall_json_add_number (builder, "customers", summary->n_customers);
  tall_json_add_number (builder, "hints", summary->n_hints);
  tall_json_add_number (builder, "ids", summary->n_ids);
  tall_json_add_number (builder, "findings", summary->n_findings);
  tall_json_add_number (builder, "for_person", summary->n_for_person);
  tall_json_add_number (builder, "mended", summary->n_mended);
  tall_json_add_number (builder, "busy", summary->n_busy);
  if (self->sample > 0)
    tall_json_add_number (builder, "sample", self->sample);
  tall_json_add_flag (builder, "whole", is_all (self, summary));
  json_builder_end_array (self->notes);
  json_builder_set_member_name (builder, "notes");
  json_builder_add_value (builder, json_builder_get_root (self->notes));
  tall_json_line_end (builder);
}

/* If the reader of the output has gone, that is why not everything was verified. */
static TallExit
conclude (const Verify *self, const TallVerifySummary *summary)
{
  const char *why = NULL;
  if (summary->n_for_person > 0)
    why = "Something that was found needs a person";
  else if (self->repair && summary->n_mended < summary->n_findings)
    why = "Not all that was found could be mended";
  else if (!summary->is_whole && tall_output_works ())
    why = "Not everything could be verified";
  if (why != NULL)
    return tall_fail_saying (TALL_EXIT_FAILED, "%s", why);
  return summary->n_findings > 0 ? TALL_EXIT_NO : TALL_EXIT_DONE;
}

/* Also after an error, unless that came before anything. */
static void
sum_up (const Verify *self, const TallVerifySummary *summary, gboolean done)
{
  if (!done && summary->n_orders + summary->n_customers + summary->n_findings == 0)
    return;
  if (self->json)
    print_summary_json (self, summary);
  else
    print_summary (self, summary);
}

static TallExit
verify (TallFront *front, Verify *self, TallVerifyOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonBuilder) notes = json_builder_new ();
  TallVerifySummary summary;
  self->notes = json_builder_begin_array (notes);
  self->stop = tall_stop_on_signals ();
  options->on_finding = on_finding;
  options->on_progress = on_progress;
  options->data = self;
  options->repair = self->repair;
  gboolean done = tall_front_verify (front, options, &summary, &error);
  tall_progress_clear ();
  sum_up (self, &summary, done);
  if (!done)
    return tall_fail (error);
  if (is_absent (self, &summary))
    tall_print_error ("Nothing of customer %s is stored: is the number right?", self->customer);
  gint number = g_atomic_int_get (self->stop);
  if (number != 0)
    return tall_fail_saying ((TallExit)(128 + number),
                             "Stopped by a signal: not everything was verified");
  TallExit code = conclude (self, &summary);
  return code == TALL_EXIT_DONE && is_absent (self, &summary) ? TALL_EXIT_NO : code;
}

static TallExit
run (int argc, char **argv)
{
  Verify self = { 0 };
  char *customer = NULL;
  gint sample = 0, rate = 0;
  const GOptionEntry entries[] = {
    { "customer", 0, 0, G_OPTION_ARG_STRING, &customer, "only this customer, with its orders",
      "C" },
    { "repair", 0, 0, G_OPTION_ARG_NONE, &self.repair, "mend what needs no person", NULL },
    { "sample", 0, 0, G_OPTION_ARG_INT, &sample, "this percentage of the customers, 1 to 99", "P" },
    { "rate", 0, 0, G_OPTION_ARG_INT, &rate, "orders a second at most", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "JSON lines", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  sample = rate = G_MININT; /* not given */
  if (!tall_options_parse (&options, &tall_command_verify, entries, argc, argv, &error))
    return tall_call_error (&tall_command_verify, error);
  if (sample != G_MININT && (sample < 1 || sample > 99))
    return tall_usage_error (&tall_command_verify, "--sample takes 1 to 99 percent");
  if (sample != G_MININT && customer != NULL)
    return tall_usage_error (&tall_command_verify,
                             "Give --sample or --customer, not both: a sample may leave the "
                             "customer out");
  if (rate != G_MININT && rate < 1)
    return tall_usage_error (&tall_command_verify, "--rate takes a number above 0");
  if (customer != NULL && !tall_validate_number (customer, "customer_number", &error))
    return tall_call_error (&tall_command_verify, error);

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_verify, &code);
  if (front == NULL)
    return code;
  TallVerifyOptions wanted = { .customer_number = customer,
                               .alone = tall_options_is_alone (front) };
  self.customer = customer;
  self.sample = wanted.sample = (guint)MAX (sample, 0);
  wanted.rate = (guint)MAX (rate, 0);
  return verify (front, &self, &wanted);
}

const TallCommand tall_command_verify = {
  .name = "verify",
  .arguments = "",
  .summary = "Reads everything, reports what is wrong, and mends it if asked.",
  .help =
      "Nothing is changed without --repair. Others may write meanwhile: what looks wrong is\n"
      "looked at again 11 seconds later, when whoever was writing it has finished or is gone.\n\n"
      "If the server, or the store below it, goes away meanwhile, it waits a minute and goes "
      "on.\n\n"
      "Loads and migrations that have begun and not ended, and tables that a migration has left,\n"
      "are named as notes. They change no exit code: a person knows whether they are meant.\n\n"
      "--repair removes what nobody sees, and writes what can be known for certain. An order\n"
      "with damage that needs a person is left as it is.\n\n"
      "A server verifies only for clients with the role admin; without roles, for those on its\n"
      "own machine.\n\n"
      "Exit codes: 0 all is sound, 1 something was found that does no harm to orders (with\n"
      "--repair: and is mended) or nothing of --customer is stored, 3 damage that needs a\n"
      "person, or not everything could be verified.\n\n"
      "Example:\n"
      "  tallorder verify --store rocksdb:shop --repair\n"
      "  tallorder verify --store hbase://localhost:9090 --sample 10 --rate 5000 --json\n"
      "  tallorder verify --server localhost:7654",
  .takes_server = TRUE,
  .run = run,
};
