/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/options.h"
#include "cli/put-items.h"
#include "tall-error.h"
#include "tall-front.h"
#include "tall-json.h"

/* Prints a customer with its orders, for `customer get --orders`. */

/* With --all: whole orders a call, of which each may have 1 MiB. */
#define ORDERS_A_CALL 100

static void
print_customer (const char *number, const TallCustomerOrders *page)
{
  if (page->customer != NULL)
    {
      tall_show_customer (page->customer, page->revision);
      return;
    }
  g_autofree char *clean = tall_text_clean (number);
  tall_print_styled (TALL_STYLE_BOLD, "Customer %s\n", clean);
  tall_print (page->customer_error != NULL ? "  cannot be read\n" : "  only orders are stored\n");
}

static TallListOutput *
begin_json (const TallCustomerOrders *page)
{
  if (page->customer == NULL)
    return tall_list_output_new_json (NULL, "orders");
  g_autofree char *customer = tall_customer_to_json (page->customer, FALSE);
  g_autofree char *whole = tall_json_add_revision (customer, page->revision);
  g_autofree char *member = g_strdup_printf ("\"customer\":%s,", whole);
  return tall_list_output_new_json (member, "orders");
}

static TallListOutput *
begin_output (const char *number, const TallCustomerOrders *page, gboolean json)
{
  TallListOutput *output = json ? begin_json (page) : tall_list_output_new_table (NULL);
  if (!json)
    print_customer (number, page);
  if (!json && page->n_orders > 0)
    tall_print ("\n");
  if (page->customer_error != NULL)
    tall_list_output_add_failure (output, page->customer_error);
  return output;
}

/* What was deleted since its page was begun is left out. */
static void
print_orders (TallListOutput *output, const TallCustomerOrders *page)
{
  for (guint i = 0; i < page->n_orders; i++)
    if (!g_error_matches (page->orders[i].error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
      tall_list_output_add_outcome (output, &page->orders[i]);
}

static TallExit
print_customer_orders (const TallCommand *command,
                       TallFront *front,
                       const char *number,
                       const TallPaging *paging,
                       TallListOptions *options,
                       gboolean json)
{
  g_autofree char *token = NULL;
  g_autoptr (TallListOutput) output = NULL;
  g_autoptr (TallCustomerOrders) page = NULL;
  if (paging->all)
    options->limit = MIN (options->limit, ORDERS_A_CALL);
  do
    {
      g_autoptr (GError) error = NULL;
      g_clear_pointer (&page, tall_customer_orders_free);
      page = tall_front_get_customer_orders (front, number, options, &error);
      if (page == NULL)
        return tall_paging_fail (command, error);
      if (output == NULL)
        output = begin_output (number, page, json);
      print_orders (output, page);
    }
  while (tall_paging_turn (paging, options, &token, page->next_page));

  if (json)
    tall_list_output_end (output, page->next_page, "");
  else
    tall_paging_print_next (paging, page->next_page);
  return tall_list_output_is_complete (output) ? TALL_EXIT_DONE : TALL_EXIT_FAILED;
}

typedef struct
{
  TallOptions options;
  TallPaging paging;
  TallListOptions list; /* of @paging, checked */
  gboolean json;
  gboolean quiet;
  gboolean force;
  gboolean orders;
  gboolean compact;
  char *yes;          /* NULL: not given */
  gint64 if_revision; /* G_MININT64: not given */
} Call;

static TallExit
get_alone (TallFront *front, const char *number, gboolean json)
{
  gint64 revision;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallCustomer) customer = tall_front_get_customer (front, number, &revision, &error);
  if (customer == NULL)
    return tall_fail (error);
  if (!json)
    {
      tall_show_customer (customer, revision);
      return TALL_EXIT_DONE;
    }
  g_autofree char *text = tall_customer_to_json (customer, TRUE);
  g_autofree char *whole = tall_json_add_revision (text, revision);
  tall_print_json ("%s\n", whole);
  return TALL_EXIT_DONE;
}

static TallExit
get (Call *self, TallFront *front, const char *number)
{
  if (!self->orders)
    return get_alone (front, number, self->json);
  return print_customer_orders (&tall_command_customer, front, number, &self->paging, &self->list,
                                self->json);
}

static TallExit delete (Call *self, TallFront *front, const char *number)
{
  g_autoptr (GError) error = NULL;
  gboolean any = self->if_revision == G_MININT64;
  TallWriteOptions conditions = { .condition = any ? TALL_IF_ANY : TALL_IF_REVISION,
                                  .revision = any ? 0 : self->if_revision };
  if (!tall_front_delete_customer (front, number, &conditions, &error))
    return tall_fail (error);
  tall_print ("Deleted customer %s\n", number);
  return TALL_EXIT_DONE;
}

static TallExit
list (Call *self, TallFront *front, const char *none G_GNUC_UNUSED)
{
  g_autofree char *token = NULL;
  g_autoptr (TallListOutput) output = NULL;
  g_autoptr (TallCustomerList) page = NULL;
  do
    {
      g_autoptr (GError) error = NULL;
      g_clear_pointer (&page, tall_customer_list_free);
      page = tall_front_list_customers (front, &self->list, &error);
      if (page == NULL)
        return tall_paging_fail (&tall_command_customer, error);
      if (output == NULL)
        output = self->json ? tall_list_output_new_json (NULL, "customers")
                            : tall_list_output_new_table (tall_customer_columns);
      tall_list_output_add_customers (output, page);
    }
  while (tall_paging_turn (&self->paging, &self->list, &token, page->next_page));

  tall_list_output_end (output, page->next_page, "No customers.");
  if (!self->json)
    tall_paging_print_next (&self->paging, page->next_page);
  return tall_list_output_is_complete (output) ? TALL_EXIT_DONE : TALL_EXIT_FAILED;
}

static gboolean
show_erase (TallEraseStage stage, const TallEraseCounts *counts, gpointer data)
{
  const gint *stop = data;
  g_autofree char *text =
      g_strdup_printf ("%s: %" G_GUINT64_FORMAT " orders, %" G_GUINT64_FORMAT " other rows",
                       tall_erase_stage_get_name (stage), counts->n_orders,
                       counts->n_marks + counts->n_rows);
  tall_progress_show_text (text);
  return g_atomic_int_get (stop) == 0;
}

static void
print_erased_json (const char *number, const TallErasePart *part)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "customer_number", number);
  tall_json_add_number (builder, "orders", (gint64)part->counts.n_orders);
  tall_json_add_number (builder, "customers", (gint64)part->counts.n_customers);
  tall_json_add_number (builder, "marks", (gint64)part->counts.n_marks);
  tall_json_add_number (builder, "rows", (gint64)part->counts.n_rows);
  json_builder_set_member_name (builder, "left");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < part->n_left; i++)
    {
      g_autofree char *clean = tall_text_clean (part->left[i]);
      json_builder_add_string_value (builder, clean);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  tall_json_print_line (builder);
}

static void
print_erased (const char *number, const TallErasePart *part)
{
  const TallEraseCounts *counts = &part->counts;
  tall_print ("Erased customer %s: %" G_GUINT64_FORMAT
              " orders, %s, the numbers in %" G_GUINT64_FORMAT
              " marks of what was deleted, %" G_GUINT64_FORMAT " other rows\n",
              number, counts->n_orders, counts->n_customers > 0 ? "its record" : "no record",
              counts->n_marks, counts->n_rows);
  for (gsize i = 0; i < part->n_left; i++)
    {
      g_autofree char *clean = tall_text_clean (part->left[i]);
      tall_print ("  %s.\n", clean);
    }
}

static TallExit
erase (Call *self, TallFront *front, const char *number)
{
  g_autoptr (GError) error = NULL;
  const gint *stop = tall_stop_on_signals ();
  TallEraseOptions options = { .compact = self->compact,
                               .alone = tall_options_is_alone (front),
                               .on_progress = show_erase,
                               .data = (gpointer)stop };
  g_autoptr (TallErasePart) part = tall_front_erase_customer (front, number, &options, &error);
  tall_progress_clear ();
  gint signal_number = g_atomic_int_get (stop);
  if (signal_number != 0)
    return tall_fail_saying ((TallExit)(128 + signal_number),
                             "Stopped by a signal: not all is erased; begin again");
  if (part == NULL)
    return tall_fail (error);
  if (self->json)
    print_erased_json (number, part);
  else
    print_erased (number, part);
  return TALL_EXIT_DONE;
}

/* What there is to do besides `put`, which reads a file first. */
typedef struct
{
  const char *name;
  gboolean takes_number;
  TallExit (*act) (Call *self, TallFront *front, const char *number);
} Action;

static const Action actions[] = {
  { "get", TRUE, get },
  { "delete", TRUE, delete },
  { "erase", TRUE, erase },
  { "list", FALSE, list },
};

static const Action *
find_action (const TallOptions *options)
{
  const char *name = options->n_arguments > 0 ? options->arguments[0] : "";
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (actions[i].name, name)
        && options->n_arguments == (actions[i].takes_number ? 2u : 1u))
      return &actions[i];
  return NULL;
}

/* Options that another action has would otherwise be taken and do nothing. */
static gboolean
check_options (const Call *self, const char *action, GError **error)
{
  gboolean paged = self->paging.limit != G_MININT || self->paging.page != NULL || self->paging.all;
  gboolean is_get = g_str_equal (action, "get");
  gboolean is_list = g_str_equal (action, "list");
  gboolean is_put = g_str_equal (action, "put");
  gboolean is_erase = g_str_equal (action, "erase");
  const char *wrong = NULL;
  if (paged && !is_list && !(is_get && self->orders))
    wrong = "--limit, --page and --all go with: list, get --orders";
  else if (self->orders && !is_get)
    wrong = "--orders goes with: get";
  else if (self->json && !is_get && !is_list && !is_put && !is_erase)
    wrong = "--json goes with: get, put, list, erase";
  else if ((self->compact || self->yes != NULL) && !is_erase)
    wrong = "--compact and --yes go with: erase";
  else if (self->quiet && !is_put)
    wrong = "--quiet goes with: put";
  else if (self->force && !is_put)
    wrong = "--force goes with: put";
  else if (self->if_revision != G_MININT64 && !g_str_equal (action, "delete"))
    wrong = "--if-revision goes with: delete";
  else if (self->if_revision != G_MININT64 && self->if_revision < 1)
    wrong = "--if-revision takes a number above 0";
  if (wrong != NULL)
    tall_error_set_invalid (error, NULL, "%s", wrong);
  return wrong == NULL;
}

static TallExit
act (Call *self)
{
  TallExit code;
  g_autoptr (GError) error = NULL;
  const TallOptions *options = &self->options;
  const Action *action = find_action (options);
  gboolean is_put = options->n_arguments == 2 && g_str_equal (options->arguments[0], "put");
  if (action == NULL && !is_put)
    return tall_usage_error (
        &tall_command_customer,
        "customer takes: get NUMBER, put FILE, delete NUMBER, erase NUMBER, or list");
  if (!check_options (self, options->arguments[0], &error)
      || !tall_paging_check (&self->paging, &self->list, &error))
    return tall_call_error (&tall_command_customer, error);
  if (is_put)
    return tall_put_items (&(TallPutCall){ .options = options,
                                           .command = &tall_command_customer,
                                           .path = options->arguments[1],
                                           .kind = TALL_JSON_CUSTOMERS,
                                           .force = self->force,
                                           .jobs = TALL_PUT_JOBS,
                                           .json = self->json,
                                           .quiet = self->quiet });

  const char *number = action->takes_number ? options->arguments[1] : NULL;
  if (number != NULL && !tall_validate_number (number, "customer_number", &error))
    return tall_call_error (&tall_command_customer, error);
  const TallDanger danger = { "customer", "number", number, "all orders, for ever" };
  if (action->act == erase && !tall_confirm (&tall_command_customer, &danger, self->yes, &code))
    return code;
  g_autoptr (TallFront) front = tall_options_open_front (options, &tall_command_customer, &code);
  return front == NULL ? code : action->act (self, front, number);
}

/* The help of one action: its own arguments, and those options that go with it. */
typedef struct
{
  const char *options[5]; /* NULL-terminated */
  TallCommand command;
} ActionHelp;

static const ActionHelp action_helps[] = {
  { { "json", "orders", "limit", "page", "all" },
    { .name = "get",
      .arguments = "NUMBER",
      .summary = "Prints a customer, with --orders also its whole orders, a page at a time.",
      .help = "--limit, --page and --all go with --orders. By date: list --orders.\n\n"
              "Example:\n"
              "  tallorder customer get --store rocksdb:shop VINET --orders" } },
  { { "json", "quiet", "force" },
    { .name = "put",
      .arguments = "FILE|-",
      .summary = "Stores customers from JSON, and replaces those that exist.",
      .help =
          "FILE holds one JSON object, or one in each line; - is standard input. One with a\n"
          "revision, as get prints it, is only stored if that is still the one that is stored.\n\n"
          "Example:\n"
          "  echo '{\"number\":\"VINET\",\"name\":\"Vins et alcools\"}' |\n"
          "    tallorder customer put --store rocksdb:shop -" } },
  { { "if-revision" },
    { .name = "delete",
      .arguments = "NUMBER",
      .summary = "Deletes a customer without orders.",
      .help = "Example:\n"
              "  tallorder customer delete --store rocksdb:shop VINET" } },
  { { "compact", "yes", "json" },
    { .name = "erase",
      .arguments = "NUMBER",
      .summary = "Removes everything of a customer, also what marks deleted orders.",
      .help =
          "Orders, the customer, the numbers in the marks of deleted orders, entries of\n"
          "listings, and the way from the number to its id. On a terminal it asks for the\n"
          "number again; elsewhere --yes gives it. Where others use the store it takes a\n"
          "minute, as writes that are under way may still end. If it is stopped half-way, call\n"
          "it again. It says at the end what is left, and where.\n\n"
          "--compact has an embedded store drop it from its files, too: its tables are\n"
          "written anew, which takes a while, and with --server some minutes more.\n\n"
          "A server erases only for clients with the role admin; without roles, for those on\n"
          "its own machine. While a migration is under way nothing is erased.\n\n"
          "Exit codes: 0 erased, now or before; 1 nothing is there, not even a mark; 3 failed, or\n"
          "something cannot be read and stays.\n\n"
          "Example:\n"
          "  tallorder customer erase --store rocksdb:shop --compact VINET --yes VINET" } },
  { { "json", "limit", "page", "all" },
    { .name = "list",
      .arguments = "",
      .summary = "Lists all customers, also those with orders but no record.",
      .help = "Example:\n"
              "  tallorder customer list --store rocksdb:shop --limit 100" } },
};

/* What an option does, without the actions that it goes with: "get, put: what it does". */
static const char *
skip_actions (const char *description)
{
  const char *colon = strstr (description, ": ");
  g_autofree char *start = g_strndup (description, strcspn (description, ",:"));
  for (guint i = 0; colon != NULL && i < G_N_ELEMENTS (action_helps); i++)
    if (g_str_equal (action_helps[i].command.name, start))
      return colon + 2;
  return description;
}

static gboolean
is_listed (const char *const *names, gsize max, const char *name)
{
  for (gsize i = 0; i < max && names[i] != NULL; i++)
    if (g_str_equal (names[i], name))
      return TRUE;
  return FALSE;
}

/* Where the first argument is an action and help is asked for, prints the action's and ends the
 * program. */
static void
print_action_help (Call *self, const GOptionEntry *entries, int argc, char **argv)
{
  if (argc < 3 || tall_help_wanted (argv) == TALL_HELP_NONE)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (action_helps); i++)
    {
      const ActionHelp *action = &action_helps[i];
      if (!g_str_equal (action->command.name, argv[1]))
        continue;
      g_autofree char *name = g_strdup_printf ("customer %s", action->command.name);
      TallCommand command = action->command;
      command.name = name;
      command.takes_server = TRUE;
      GOptionEntry own[G_N_ELEMENTS (action->options) + 1] = { { NULL } };
      guint n = 0;
      for (guint j = 0; entries[j].long_name != NULL; j++)
        if (is_listed (action->options, G_N_ELEMENTS (action->options), entries[j].long_name))
          {
            own[n] = entries[j];
            own[n++].description = skip_actions (entries[j].description);
          }
      (void)!tall_options_parse (&self->options, &command, own, argc, argv, NULL);
    }
}

static TallExit
run (int argc, char **argv)
{
  Call self = { .options = TALL_OPTIONS_INIT,
                .paging = TALL_PAGING_INIT,
                .if_revision = G_MININT64 };
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "get, put, list, erase: for programs", NULL },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &self.quiet, "put: nothing about what is stored", NULL },
    { "force", 0, 0, G_OPTION_ARG_NONE, &self.force,
      "put: whatever is stored, also where the JSON has a revision", NULL },
    { "orders", 0, 0, G_OPTION_ARG_NONE, &self.orders, "get: with the customer's orders", NULL },
    TALL_PAGING_ENTRIES (&self.paging),
    { "if-revision", 0, 0, G_OPTION_ARG_INT64, &self.if_revision,
      "delete: only if exactly this revision is stored", "N" },
    { "compact", 0, 0, G_OPTION_ARG_NONE, &self.compact,
      "erase: from the files of an embedded store, too", NULL },
    { "yes", 0, 0, G_OPTION_ARG_STRING, &self.yes, "erase: the number again: do not ask",
      "NUMBER" },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  self.paging.argv = argv;
  print_action_help (&self, entries, argc, argv);
  TallExit code =
      tall_options_parse (&self.options, &tall_command_customer, entries, argc, argv, &error)
          ? act (&self)
          : tall_call_error (&tall_command_customer, error);
  tall_options_clear (&self.options);
  return code;
}

const TallCommand tall_command_customer = {
  .name = "customer",
  .arguments = "get NUMBER|put FILE|delete NUMBER|erase NUMBER|list",
  .summary = "Prints, stores, deletes or erases customers, or lists all.",
  .help = "get --orders gives the customer's whole orders, too, a page at a time.\n"
          "FILE holds one JSON object, or one in each line; - is standard input.\n"
          "A customer with orders is not deleted; erase removes it with all orders, for ever.\n"
          "list also has customers with orders but no record.\n"
          "tallorder customer get --help has the options of get alone; so do the others.\n\n"
          "Example:\n"
          "  tallorder customer get --store rocksdb:shop VINET --orders\n"
          "  tallorder customer list --store rocksdb:shop --limit 100\n"
          "  echo '{\"number\":\"VINET\",\"name\":\"Vins et alcools\"}' |\n"
          "    tallorder customer put --store rocksdb:shop -",
  .takes_server = TRUE,
  .run = run,
};
