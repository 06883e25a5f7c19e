/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/json-file.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/put-items.h"

typedef struct
{
  gboolean if_absent;
  gint64 if_revision;
  gboolean force;
  char *token;
  gboolean json;
  gboolean quiet;
  gint jobs;
} PutOptions;

static gboolean
check_options (const PutOptions *own, TallWriteOptions *conditions, TallExit *code)
{
  *code = TALL_EXIT_USAGE;
  if (own->if_absent + (own->if_revision != G_MININT64) + own->force > 1)
    tall_usage_error (&tall_command_put,
                      "Give one of --if-absent, --if-revision and --force, not both");
  else if (own->if_revision != G_MININT64 && own->if_revision < 1)
    tall_usage_error (&tall_command_put, "--if-revision takes a number above 0");
  else if (own->jobs < 1 || own->jobs > TALL_PUT_MAX_JOBS)
    tall_usage_error (&tall_command_put, "--jobs takes a number from 1 to %d", TALL_PUT_MAX_JOBS);
  else if (tall_options_parse_token (&tall_command_put, own->token, conditions))
    {
      if (own->if_absent)
        conditions->condition = TALL_IF_ABSENT;
      if (own->if_revision > 0)
        {
          conditions->condition = TALL_IF_REVISION;
          conditions->revision = own->if_revision;
        }
      return TRUE;
    }
  return FALSE;
}

static TallExit
run (int argc, char **argv)
{
  PutOptions own = { .if_revision = G_MININT64, .jobs = TALL_PUT_JOBS };
  const GOptionEntry entries[] = {
    { "if-absent", 0, 0, G_OPTION_ARG_NONE, &own.if_absent, "only if nothing is stored", NULL },
    { "if-revision", 0, 0, G_OPTION_ARG_INT64, &own.if_revision,
      "only if exactly this revision is stored", "N" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &own.force,
      "whatever is stored, also where the JSON has a revision", NULL },
    { "token", 0, 0, G_OPTION_ARG_FILENAME, &own.token,
      "a UUID of your own: sent twice with it, the order is stored once", "UUID" },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &own.jobs, "puts at the same time (default 8)", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &own.json, "for programs: a JSON object for each", NULL },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &own.quiet, "nothing about what is stored", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  TallWriteOptions conditions = { 0 };
  TallExit code;
  if (!tall_options_parse (&options, &tall_command_put, entries, argc, argv, &error))
    return tall_call_error (&tall_command_put, error);
  if (options.n_arguments != 1)
    return tall_usage_error (&tall_command_put, "put takes one argument: FILE, or - for standard "
                                                "input");
  if (check_options (&own, &conditions, &code))
    code = tall_put_items (&(TallPutCall){ .options = &options,
                                           .command = &tall_command_put,
                                           .path = options.arguments[0],
                                           .kind = TALL_JSON_ORDERS,
                                           .write = conditions,
                                           .force = own.force,
                                           .jobs = (guint)own.jobs,
                                           .json = own.json,
                                           .quiet = own.quiet });
  return code;
}

const TallCommand tall_command_put = {
  .name = "put",
  .arguments = "FILE|-",
  .summary = "Stores orders from JSON, each whole, and replaces those that exist.",
  .help =
      "FILE holds one JSON object, or one in each line: an order, or {\"order\": ...} or\n"
      "{\"customer\": ...}. A bad one is named with its line and does not keep the others\n"
      "from being stored; the exit code is 1 then. Lines of standard input are stored as they\n"
      "come. If something stops the rest, such as a lost server or Ctrl-C, a message names\n"
      "the line at which to go on.\n"
      "An object with a revision, as get prints it, is only stored if that is still the one that\n"
      "is stored: others' changes are not lost. What export prints has none.\n"
      "Up to --jobs lines are stored at once; lines of one order keep their order. With\n"
      "--jobs 1 each line is stored before the next one is tried.\n"
      "With --json, each object gives a line such as\n"
      "  {\"line\":1,\"customer_number\":\"VINET\",\"order_number\":\"10248\",\"revision\":"
      "1732190000000}\n"
      "or, instead of the revision, \"error\" and \"message\".\n"
      "With --token, a put whose answer was lost can be sent again with the same UUID, made by\n"
      "uuidgen: it is stored once, unless others have written the order since.\n\n"
      "Example:\n"
      "  tallorder get --store rocksdb:shop VINET 10248 --json >order.json\n"
      "  tallorder put --store rocksdb:shop order.json           # edited meanwhile",
  .takes_server = TRUE,
  .run = run,
};
