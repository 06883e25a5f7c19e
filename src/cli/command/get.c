/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/output.h"
#include "tall-json.h"
#include "cli/options.h"
#include "cli/show.h"

static TallExit
get (TallFront *front, const char *customer, const char *number, gboolean json)
{
  g_autoptr (GError) error = NULL;
  gint64 revision;
  g_autoptr (TallOrder) order = tall_front_get_order (front, customer, number, &revision, &error);
  if (order == NULL)
    return tall_fail (error);
  if (!json)
    {
      tall_show_order (order, revision);
      return TALL_EXIT_DONE;
    }
  g_autofree char *text = tall_order_to_json (order, TRUE);
  g_autofree char *whole = tall_json_add_revision (text, revision);
  tall_print_json ("%s\n", whole);
  return TALL_EXIT_DONE;
}

static TallExit
run (int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json,
      "for programs: JSON as put takes it, with the revision", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_get, entries, argc, argv, &error))
    return tall_call_error (&tall_command_get, error);
  if (options.n_arguments != 2)
    return tall_usage_error (&tall_command_get, "get takes two arguments: CUSTOMER ORDER");
  if (!tall_validate_number (options.arguments[0], "customer_number", &error)
      || !tall_validate_number (options.arguments[1], "order_number", &error))
    return tall_call_error (&tall_command_get, error);

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_get, &code);
  if (front == NULL)
    return code;
  return get (front, options.arguments[0], options.arguments[1], json);
}

const TallCommand tall_command_get = {
  .name = "get",
  .arguments = "CUSTOMER ORDER",
  .summary = "Prints one order.",
  .help = "A number that begins with a dash goes after --, as in: get ... -- C1 -7\n\n"
          "Example:\n"
          "  tallorder get --store rocksdb:shop VINET 10248\n"
          "  tallorder get --server 127.0.0.1:7654 VINET 10248 --json\n\n"
          "The revision in the JSON is a condition when put takes it back: it is stored only if "
          "nobody\n"
          "else has changed the order meanwhile.",
  .takes_server = TRUE,
  .run = run,
};
