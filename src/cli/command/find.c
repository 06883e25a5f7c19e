/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "tall-error.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"
#include "tall-front.h"

/* With --all: orders a call, which are read whole, and of which each may have 1 MiB. */
#define ORDERS_A_CALL 100

typedef struct
{
  TallPaging paging;
  TallListOptions list; /* of @paging, checked */
  char *from;
  char *to;
  gboolean json;
  gboolean orders;
} Call;

/* The words of a call: the name of an index and values, or FIELD=VALUE each.
 * Returns: what is wrong with them; NULL: nothing */
static const char *
read_words (const TallOptions *options, TallFindOptions *find)
{
  const char *const *words = (const char *const *)options->arguments;
  if (options->n_arguments == 0)
    return "find takes the name of an index and values, or FIELD=VALUE; status shows the indexes";
  gboolean named = strchr (words[0], '=') == NULL;
  find->index = named ? words[0] : NULL;
  find->values = words + (named ? 1 : 0);
  find->n_values = options->n_arguments - (named ? 1 : 0);
  for (guint i = 0; !named && i < options->n_arguments; i++)
    if (strchr (words[i], '=') == NULL)
      return "find takes FIELD=VALUE for each part, or the name of an index before all values";
  return NULL;
}

static TallExit
fail (const GError *error)
{
  gboolean wrong = g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID)
                   && g_strcmp0 (tall_error_get_field (error), "page") != 0;
  return wrong ? tall_call_error (&tall_command_find, error)
               : tall_paging_fail (&tall_command_find, error);
}

static TallListOutput *
begin_output (const Call *self, const TallFound *page)
{
  if (!self->json)
    return tall_list_output_new_table (self->orders ? NULL : tall_found_columns);
  g_autofree char *name = tall_show_quote_json (page->index);
  g_autofree char *member = g_strdup_printf ("\"index\":%s,", name);
  return tall_list_output_new_json (member, "orders");
}

static TallExit
find_orders (Call *self, TallFront *front, TallFindOptions *find)
{
  g_autofree char *token = NULL;
  g_autoptr (TallListOutput) output = NULL;
  g_autoptr (TallFound) page = NULL;
  do
    {
      g_autoptr (GError) error = NULL;
      g_clear_pointer (&page, tall_found_free);
      find->page = self->list.page;
      page = tall_front_find_orders (front, find, &error);
      if (page == NULL)
        return fail (error);
      if (output == NULL)
        output = begin_output (self, page);
      for (guint i = 0; i < page->n_orders; i++)
        tall_list_output_add_outcome (output, &page->orders[i]);
    }
  while (tall_paging_turn (&self->paging, &self->list, &token, page->next_page));

  tall_list_output_end (output, page->next_page, "No orders.");
  if (!self->json && find->index == NULL)
    {
      g_autofree char *name = tall_text_clean (page->index);
      tall_print_styled (TALL_STYLE_DIM, "Found by index %s\n", name);
    }
  if (!self->json)
    tall_paging_print_next (&self->paging, page->next_page);
  return tall_list_output_is_complete (output) ? TALL_EXIT_DONE : TALL_EXIT_FAILED;
}

static TallExit
run (int argc, char **argv)
{
  Call self = { .paging = TALL_PAGING_INIT };
  const GOptionEntry entries[] = {
    { "from", 0, 0, G_OPTION_ARG_STRING, &self.from, "first value wanted of the next part",
      "VALUE" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &self.to, "first value of that part no longer wanted",
      "VALUE" },
    TALL_PAGING_ENTRIES (&self.paging),
    { "orders", 0, 0, G_OPTION_ARG_NONE, &self.orders, "whole orders", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "for programs", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  TallFindOptions find = { 0 };
  self.paging.argv = argv;
  if (!tall_options_parse (&options, &tall_command_find, entries, argc, argv, &error))
    return tall_call_error (&tall_command_find, error);
  const char *wrong = read_words (&options, &find);
  if (wrong != NULL)
    return tall_usage_error (&tall_command_find, "%s", wrong);
  if (self.from != NULL && g_strcmp0 (self.from, self.to) == 0)
    return tall_usage_error (&tall_command_find,
                             "--to is the first value no longer wanted, so it comes after --from");
  if (!tall_paging_check (&self.paging, &self.list, &error))
    return tall_call_error (&tall_command_find, error);

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_find, &code);
  if (front == NULL)
    return code;
  find.from = self.from;
  find.to = self.to;
  find.limit = self.paging.all ? MIN (self.list.limit, ORDERS_A_CALL) : self.list.limit;
  find.part.kind = self.orders ? TALL_PART_WHOLE : TALL_PART_SUMMARY;
  return find_orders (&self, front, &find);
}

const TallCommand tall_command_find = {
  .name = "find",
  .arguments = "INDEX [VALUE...]|FIELD=VALUE...",
  .summary = "Finds orders of all customers by an index of the deployment.",
  .help =
      "status shows the indexes, each as NAME=TEMPLATE, such as\n"
      "  by-item=md5(line.item_number) rtime(sales_date)?\n"
      "A search gives the values of the template's first parts, in their order, and with --from\n"
      "and --to a range of the part after them. With FIELD=VALUE, in any order, no index is\n"
      "named: the one whose first parts are of these fields is taken, and named at the end.\n"
      "A date is as much of ISO 8601 as its part needs: 2026, 2026-11, 2026-11-28. As a value of\n"
      "time() and rtime() it is one moment, 2026-11-28 midnight; a day is --from and --to.\n\n"
      "An order is found by what it has now, in the order of the index. One that cannot be\n"
      "read is reported on standard error; the exit code is 3 then.\n\n"
      "Example:\n"
      "  tallorder find --store rocksdb:shop order_number=10248\n"
      "  tallorder find --store rocksdb:shop by-item 42 --from 2026-01-01 --to 2026-04-01\n"
      "  tallorder find --server 127.0.0.1:7654 by-status 2026-11 open --all --json",
  .takes_server = TRUE,
  .run = run,
};
