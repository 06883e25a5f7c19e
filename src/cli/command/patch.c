/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"
#include "tall-error.h"
#include "tall-front.h"
#include "tall-patch.h"

/* Stands for the dash that a change begins with, while options are looked for. */
#define DASH '\x01'

#define MAX_FILE (8 * 1024 * 1024) /* bytes: a patch, with everything in it escaped */

typedef struct
{
  TallOptions options;
  char *file;
  gint64 if_revision; /* G_MININT64: not given; so is the next */
  gint64 base;
  char *token;
  gboolean json;
} Call;

/* `-line[4]` would be taken for options of one letter each. What follows --order, and all that
 * follows --, is not taken for an option. Returns: (transfer full): */
static GStrv
hide_dashes (char **argv)
{
  GStrv hidden = g_strdupv (argv);
  for (guint i = 1; hidden[i] != NULL && !g_str_equal (hidden[i], "--"); i++)
    if (hidden[i][0] == '-' && g_ascii_islower (hidden[i][1]) && hidden[i][2] != '\0'
        && !g_str_equal (hidden[i - 1], "--order"))
      hidden[i][0] = DASH;
  return hidden;
}

/* Returns: (transfer full) (nullable): the changes; NULL with what is wrong */
static GStrv
read_changes (const Call *self, GError **error)
{
  if (self->file == NULL)
    {
      GStrv changes = g_strdupv (self->options.rest);
      for (guint i = 0; changes[i] != NULL; i++)
        if (changes[i][0] == DASH)
          changes[i][0] = '-';
      return changes;
    }
  gsize len;
  g_autofree char *text = tall_file_read (self->file, MAX_FILE, &len, error);
  if (text == NULL)
    return NULL;
  GStrv changes = tall_patch_from_json (text, (gssize)len, error);
  if (changes == NULL)
    g_prefix_error (error, "%s: ", self->file);
  return changes;
}

/* Changes that are wrong are refused, like orders that put refuses. */
static TallExit
fail (const GError *error)
{
  TallExit code = tall_fail (error);
  return tall_error_is_of_one (error) && !tall_error_is_unreadable (error) ? TALL_EXIT_NO : code;
}

static gboolean
check_call (Call *self, TallWriteOptions *write, GError **error)
{
  const TallCommand *command = &tall_command_patch;
  gboolean is_conditional = self->if_revision != G_MININT64;
  const char *wrong = NULL;
  if (!tall_options_take_order (&self->options, command, G_MAXUINT, error))
    {
      tall_call_error (command, *error);
      return FALSE;
    }
  if ((*self->options.rest != NULL) == (self->file != NULL))
    wrong = "patch takes changes behind the order, which is CUSTOMER ORDER or --order ORDER: "
            "arguments, or --file";
  else if (is_conditional && self->if_revision < 1)
    wrong = "--if-revision takes a number above 0";
  else if (self->base != G_MININT64 && self->base < 1)
    wrong = "--base-revision takes a number above 0";
  else if ((self->token != NULL && !is_conditional) != (self->base != G_MININT64))
    wrong = "--token goes with --base-revision, or with --if-revision";
  if (wrong != NULL)
    tall_usage_error (command, "%s", wrong);
  if (wrong != NULL || !tall_options_parse_token (command, self->token, write))
    return FALSE;
  write->condition = is_conditional ? TALL_IF_REVISION : TALL_IF_ANY;
  write->revision = is_conditional ? self->if_revision : 0;
  write->base = MAX (self->base, 0);
  return TRUE;
}

static void
print_patched (const Call *self, gint64 revision)
{
  const char *customer = self->options.order.customer_number;
  const char *order = self->options.order.order_number;
  if (!self->json)
    {
      tall_print ("Patched order %s of %s, revision %" G_GINT64_FORMAT "\n", order, customer,
                  revision);
      return;
    }
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "customer_number", customer);
  tall_json_add_text (builder, "order_number", order);
  tall_json_add_number (builder, "revision", revision);
  json_builder_end_object (builder);
  tall_json_print_line (builder);
}

#define ADDS "+adjustment="
#define REMOVES "-adjustment["
#define CHANGES "adjustment["
#define REPLACES "adjustments="

static guint
count_changes (GStrv changes, const char *start)
{
  guint n = 0;
  for (guint i = 0; changes[i] != NULL; i++)
    n += g_str_has_prefix (changes[i], start);
  return n;
}

/* Whether the changes have touched the adjustment at @i; of all those of a patch that also removes
 * some, as the places of the others change by that. */
static gboolean
is_touched (const TallOrder *order, gsize i, GStrv changes)
{
  g_autofree char *by_kind = g_strconcat (CHANGES, order->adjustments[i]->kind, "]", NULL);
  g_autofree char *by_place = g_strdup_printf (CHANGES "%" G_GSIZE_FORMAT "]", i + 1);
  return i + count_changes (changes, ADDS) >= order->n_adjustments
         || count_changes (changes, REPLACES) > 0 || count_changes (changes, by_kind) > 0
         || count_changes (changes, by_place) > 0
         || (count_changes (changes, REMOVES) > 0 && count_changes (changes, CHANGES) > 0);
}

/* The order is looked at only if its adjustments were changed. */
static void
warn_of_adjustments (TallFront *front, const TallOrderId *id, GStrv changes)
{
  if (count_changes (changes, ADDS) + count_changes (changes, "adjustment") == 0)
    return;
  g_autoptr (TallOrder) now =
      tall_front_get_order (front, id->customer_number, id->order_number, NULL, NULL);
  for (gsize i = 0; now != NULL && i < now->n_adjustments; i++)
    if (is_touched (now, i, changes))
      tall_show_warn_of_adjustment (now, i);
}

static TallExit
patch (Call *self)
{
  g_autoptr (GError) error = NULL;
  TallWriteOptions write = { 0 };
  TallExit code;
  gint64 revision;

  if (!check_call (self, &write, &error))
    return TALL_EXIT_USAGE;
  g_auto (GStrv) changes = read_changes (self, &error);
  if (changes == NULL
      || !tall_patch_check ((const char *const *)changes, g_strv_length (changes), &error))
    return fail (error);
  g_autoptr (TallFront) front =
      tall_options_open_front (&self->options, &tall_command_patch, &code);
  if (front == NULL)
    return code;
  const TallOrderId *id = &self->options.order;
  if (!tall_options_find_order (&self->options, &tall_command_patch, front, &error))
    return tall_fail (error);
  if (!tall_front_patch_order (front, id->customer_number, id->order_number,
                               (const char *const *)changes, g_strv_length (changes), &write,
                               &revision, &error))
    return fail (error);
  print_patched (self, revision);
  warn_of_adjustments (front, id, changes);
  return TALL_EXIT_DONE;
}

static TallExit
run (int argc, char **argv)
{
  Call self = { .options = TALL_OPTIONS_INIT, .if_revision = G_MININT64, .base = G_MININT64 };
  const GOptionEntry entries[] = {
    TALL_ORDER_ENTRY (&self.options),
    { "file", 0, 0, G_OPTION_ARG_FILENAME, &self.file, "changes as a JSON list of texts", "FILE" },
    { "if-revision", 0, 0, G_OPTION_ARG_INT64, &self.if_revision,
      "only if exactly this revision is stored", "N" },
    { "token", 0, 0, G_OPTION_ARG_FILENAME, &self.token,
      "a UUID of your own: sent twice with it, the patch is done once", "UUID" },
    { "base-revision", 0, 0, G_OPTION_ARG_INT64, &self.base,
      "with --token: what was stored when you made it", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "for programs: a JSON object", NULL },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) hidden = hide_dashes (argv);
  TallExit code =
      tall_options_parse (&self.options, &tall_command_patch, entries, argc, hidden, &error)
          ? patch (&self)
          : tall_call_error (&tall_command_patch, error);
  tall_options_clear (&self.options);
  return code;
}

static char *
describe_forms (void)
{
  GString *text = g_string_new (
      "A change has one of these forms; L is the number of a location, N that of a line,\n"
      "and A the kind of an adjustment, if no other has it, or its place in the list, from 1:\n");
  for (const TallPatchForm *form = tall_patch_forms; form->form != NULL; form++)
    g_string_append_printf (text, "  %s\n      %s, as in '%s'\n", form->form, form->meaning,
                            form->example);
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

const TallCommand tall_command_patch = {
  .name = "patch",
  .arguments = "CUSTOMER ORDER|--order ORDER CHANGE...",
  .summary = "Changes parts of an order, whatever others change meanwhile.",
  .make_help = describe_forms,
  .help =
      "FIELD is a name of the JSON form, or one within another: address.city. Changes are made\n"
      "one after the other, all or none, on the order as it is then: what others write\n"
      "meanwhile is not lost. --file takes a JSON list of the same texts.\n"
      "A patch whose answer was lost can be sent again if it has a --token, made by uuidgen,\n"
      "and says as --base-revision which revision there was when the token was made: it is\n"
      "done once.\n\n"
      "An amount's sign counts: what is taken off the total is negative, also of a discount.\n\n"
      "Example:\n"
      "  tallorder patch --store rocksdb:shop --order 10248 'adjustment[discount].amount=-5'\n"
      "  tallorder patch --store rocksdb:shop VINET 10248 'location[1].address.city=Reims' \\\n"
      "    'line[3].quantity=2' '-line[2]' 'attribute.status=paid'",
  .takes_server = TRUE,
  .run = run,
};
