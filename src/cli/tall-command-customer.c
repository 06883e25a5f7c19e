/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json.h"
#include "tall-options.h"
#include "tall-output.h"
#include "tall-put-items.h"
#include "tall-show.h"

static TallExit
get (const TallOptions *options, const char *number, gboolean json)
{
  TallExit exit;
  g_autoptr (GError) error = NULL;
  if (!tall_validate_number (number, "customer_number", &error))
    return tall_usage_error (&tall_command_customer, "%s", error->message);
  g_autoptr (TallFront) front = tall_options_open_front (options, &tall_command_customer, &exit);
  if (front == NULL)
    return exit;

  gint64 revision;
  g_autoptr (TallCustomer) customer = tall_front_get_customer (front, number, &revision, &error);
  if (customer == NULL)
    return tall_fail (error);
  if (!json)
    {
      tall_show_customer (customer, revision);
      return TALL_EXIT_DONE;
    }
  g_autofree char *text = tall_customer_to_json (customer, TRUE);
  tall_print ("%s\n", text);
  return TALL_EXIT_DONE;
}

static TallExit
run (int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "get: canonical JSON", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_customer, entries, argc, argv, &error))
    return tall_usage_error (&tall_command_customer, "%s", error->message);

  const char *action = options.n_arguments == 2 ? options.arguments[0] : "";
  if (g_str_equal (action, "get"))
    return get (&options, options.arguments[1], json);
  if (g_str_equal (action, "put"))
    return tall_put_items (&options, &tall_command_customer, options.arguments[1],
                           TALL_JSON_CUSTOMERS, &(TallWriteOptions){ 0 });
  return tall_usage_error (&tall_command_customer,
                           "customer takes two arguments: get NUMBER, or put FILE");
}

const TallCommand tall_command_customer = {
  .name = "customer",
  .arguments = "get NUMBER|put FILE",
  .summary = "Prints one customer, or stores customers from JSON.",
  .help = "FILE holds one JSON object, or one in each line; - is standard input.\n\n"
          "Example:\n"
          "  tallorder customer get --store rocksdb:shop VINET\n"
          "  echo '{\"number\":\"VINET\",\"name\":\"Vins et alcools\"}' |\n"
          "    tallorder customer put --store rocksdb:shop -",
  .takes_server = TRUE,
  .run = run,
};
