/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "cli/output.h"
#include "tall-json.h"
#include "cli/options.h"
#include "cli/show.h"

#define LOCATION "location["

/* Returns: FALSE if the text names no part of an order */
static gboolean
parse_part (const char *text, TallOrderPart *part, GError **error)
{
  guint64 location = 0;
  gsize prefix = strlen (LOCATION), len = strlen (text);
  gboolean is_location = g_str_has_prefix (text, LOCATION) && text[len - 1] == ']';
  g_autofree char *number = is_location ? g_strndup (text + prefix, len - prefix - 1) : NULL;
  if (g_str_equal (text, "summary"))
    part->kind = TALL_PART_SUMMARY;
  else if (g_str_equal (text, "header"))
    part->kind = TALL_PART_HEADER;
  else if (is_location && g_ascii_string_to_unsigned (number, 10, 1, G_MAXINT32, &location, NULL))
    *part = (TallOrderPart){ TALL_PART_LOCATION, (gint32)location };
  else
    return tall_error_fail_invalid (
        error, NULL, "--part takes summary, header or 'location[N]', N from 1, and not “%s”", text);
  return TRUE;
}

/* A part begins with a member `part`, so that put does not take it for an order. */
static void
print_json (const TallOutcome *got, const char *part)
{
  g_autofree char *order = tall_order_to_json (got->order, TRUE);
  g_autofree char *text = tall_json_add_revision (order, got->revision);
  const TallOrderEntry *entry = got->entry;
  if (part == NULL)
    {
      tall_print_json ("%s\n", text);
      return;
    }
  g_autoptr (GString) first = g_string_new ("");
  g_string_printf (first, "{\n  \"part\" : \"%s\",", part);
  if (entry != NULL)
    g_string_append_printf (first, "\n  \"lines\" : %u,", entry->n_lines);
  if (entry != NULL && entry->has_total)
    {
      char total[TALL_DECIMAL_TEXT_SIZE];
      g_string_append_printf (first, "\n  \"total\" : \"%s\",",
                              tall_decimal_format (entry->total, total));
    }
  tall_print_json ("%s%s\n", first->str, text + 1);
}

static void
fetch (TallFront *front, const TallOrderId *id, const TallOrderPart *part, TallOutcome *got)
{
  if (part->kind == TALL_PART_WHOLE)
    got->order = tall_front_get_order (front, id->customer_number, id->order_number, &got->revision,
                                       &got->error);
  else
    (void)!tall_front_get_parts (front, id, 1, part, got, &got->error);
}

/* @name: (nullable): of the part */
static TallExit
print (const TallOutcome *got, const char *name, gboolean json)
{
  if (got->error != NULL)
    return tall_fail (got->error);
  if (json)
    print_json (got, name);
  else
    tall_show_order (got->order, got->revision, name, got->entry);
  return TALL_EXIT_DONE;
}

static TallExit
run (int argc, char **argv)
{
  gboolean json = FALSE;
  char *part_name = NULL;
  TallOrderPart part = { .kind = TALL_PART_WHOLE };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json,
      "for programs: JSON as put takes it, with the revision", NULL },
    { "part", 0, 0, G_OPTION_ARG_STRING, &part_name,
      "only summary, header or 'location[N]' of the order", "PART" },
    TALL_ORDER_ENTRY (&options),
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_get, entries, argc, argv, &error))
    return tall_call_error (&tall_command_get, error);
  if (!tall_options_take_order (&options, &tall_command_get, 0, &error)
      || (part_name != NULL && !parse_part (part_name, &part, &error)))
    return tall_call_error (&tall_command_get, error);

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_get, &code);
  if (front == NULL)
    return code;
  if (!tall_options_find_order (&options, &tall_command_get, front, &error))
    return tall_fail (error);
  TallOutcome got = { 0 };
  fetch (front, &options.order, &part, &got);
  code = print (&got, part_name, json);
  tall_outcome_clear (&got);
  return code;
}

const TallCommand tall_command_get = {
  .name = "get",
  .arguments = "CUSTOMER ORDER|--order ORDER",
  .summary = "Prints one order, or a part of it.",
  .help = "--part summary prints what a listing shows of the order; header what it has beside\n"
          "locations; 'location[N]' the same, and one location with its lines. How much of the\n"
          "order a layout reads for that, explain shows. put does not take a part.\n\n"
          "--order finds the order without its customer, if only one has that number. It takes an\n"
          "index whose template begins with order_number; status shows the indexes.\n\n"
          "A number that begins with a dash goes after --, as in: get ... -- C1 -7\n\n"
          "Example:\n"
          "  tallorder get --store rocksdb:shop VINET 10248\n"
          "  tallorder get --server 127.0.0.1:7654 VINET 10248 --json\n"
          "  tallorder get --store rocksdb:shop VINET 10248 --part 'location[1]'\n"
          "  tallorder get --store rocksdb:shop --order 10248\n\n"
          "The revision in the JSON is a condition when put takes it back: it is stored only if "
          "nobody\n"
          "else has changed the order meanwhile.",
  .takes_server = TRUE,
  .run = run,
};
