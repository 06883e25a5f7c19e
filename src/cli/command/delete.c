/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/options.h"
#include "cli/output.h"

static TallExit
run (int argc, char **argv)
{
  gint64 revision = G_MININT64; /* not given */
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  const GOptionEntry entries[] = {
    { "if-revision", 0, 0, G_OPTION_ARG_INT64, &revision, "only if exactly this revision is stored",
      "N" },
    TALL_ORDER_ENTRY (&options),
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_delete, entries, argc, argv, &error))
    return tall_call_error (&tall_command_delete, error);
  if (!tall_options_take_order (&options, &tall_command_delete, 0, &error))
    return tall_call_error (&tall_command_delete, error);
  if (revision != G_MININT64 && revision < 1)
    return tall_usage_error (&tall_command_delete, "--if-revision takes a number above 0");

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_delete, &code);
  if (front == NULL)
    return code;
  TallWriteOptions conditions = { .condition = revision > 0 ? TALL_IF_REVISION : TALL_IF_ANY,
                                  .revision = MAX (revision, 0) };
  const TallOrderId *id = &options.order;
  if (!tall_options_find_order (&options, &tall_command_delete, front, &error)
      || !tall_front_delete_order (front, id->customer_number, id->order_number, &conditions,
                                   &error))
    return tall_fail (error);
  tall_print ("Deleted order %s of %s\n", id->order_number, id->customer_number);
  return TALL_EXIT_DONE;
}

const TallCommand tall_command_delete = {
  .name = "delete",
  .arguments = "CUSTOMER ORDER|--order ORDER",
  .summary = "Deletes one order.",
  .help = "A number that begins with a dash goes after --, as in: delete ... -- C1 -7\n\n"
          "Example:\n"
          "  tallorder delete --store rocksdb:shop VINET 10248\n"
          "  tallorder delete --store rocksdb:shop --order 10248",
  .takes_server = TRUE,
  .run = run,
};
