/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/list-output.h"
#include "tall-error.h"
#include "model/json-build.h"
#include "tall-json.h"
#include "cli/output.h"
#include "cli/show.h"

struct _TallListOutput
{
  guint64 n_entries;
  guint64 n_unreadable;
  TallGrid *grid;      /* NULL: as JSON */
  GString *unreadable; /* as JSON: what could not be read */
};

const char *const tall_order_columns[] = { "ORDER",    "SALES DATE", ">LINES", ">TOTAL",
                                           "CURRENCY", ">REVISION",  NULL };
const char *const tall_customer_columns[] = { "CUSTOMER", "NAME", ">REVISION", NULL };

TallListOutput *
tall_list_output_new_table (const char *const *columns)
{
  TallListOutput *self = g_new0 (TallListOutput, 1);
  self->grid = tall_grid_new (columns);
  return self;
}

TallListOutput *
tall_list_output_new_json (const char *members, const char *name)
{
  TallListOutput *self = g_new0 (TallListOutput, 1);
  self->unreadable = g_string_new (NULL);
  tall_print_json ("{%s\"%s\":[", members != NULL ? members : "", name);
  return self;
}

void
tall_list_output_free (TallListOutput *self)
{
  if (self == NULL)
    return;
  tall_grid_free (self->grid);
  if (self->unreadable != NULL)
    g_string_free (self->unreadable, TRUE);
  g_free (self);
}

/* Adds an entry, which is a JSON object. */
void
tall_list_output_add_json (TallListOutput *self, const char *entry)
{
  tall_print_json ("%s\n%s", self->n_entries++ > 0 ? "," : "", entry);
}

static char *
order_to_json (const TallOrderEntry *entry)
{
  char date[TALL_DATE_TEXT_SIZE], total[TALL_DECIMAL_TEXT_SIZE];
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "order_number", entry->order_number);
  tall_json_add_number (builder, "revision", entry->revision);
  if (entry->has_sales_date)
    tall_json_add_text (builder, "sales_date", tall_date_format (entry->sales_date, date));
  tall_json_add_number (builder, "lines", entry->n_lines);
  if (entry->has_total)
    tall_json_add_text (builder, "total", tall_decimal_format (entry->total, total));
  if (entry->currency != NULL)
    tall_json_add_text (builder, "currency", entry->currency);
  json_builder_end_object (builder);
  return tall_json_build (builder, FALSE);
}

static void
show_order (TallListOutput *self, const TallOrderEntry *entry)
{
  char total[TALL_DECIMAL_TEXT_SIZE];
  g_autofree char *date = entry->has_sales_date ? tall_show_date (entry->sales_date) : NULL;
  tall_grid_add (self->grid, entry->order_number);
  tall_grid_add (self->grid, date);
  tall_grid_add_number (self->grid, entry->n_lines);
  tall_grid_add (self->grid, entry->has_total ? tall_decimal_format (entry->total, total) : NULL);
  tall_grid_add (self->grid, entry->currency);
  tall_grid_add_number (self->grid, (guint64)entry->revision);
  self->n_entries++;
}

static char *
unreadable_to_json (const TallUnreadable *unreadable, const char *name)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  if (unreadable->number != NULL)
    tall_json_add_text (builder, name, unreadable->number);
  tall_json_add_text (builder, "error", tall_error_code_name ((TallError)unreadable->code));
  tall_json_add_text (builder, "message", unreadable->message);
  json_builder_end_object (builder);
  return tall_json_build (builder, FALSE);
}

/* What cannot be read goes to standard error, and with JSON also to the end of the object. */
static void
add_unreadable (TallListOutput *self, const char *name, const TallUnreadable *unreadable, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      gboolean first = self->n_unreadable++ == 0;
      tall_print_error ("%s", unreadable[i].message);
      if (self->unreadable == NULL)
        continue;
      g_autofree char *text = unreadable_to_json (&unreadable[i], name);
      g_string_append_printf (self->unreadable, "%s\n%s", first ? "" : ",", text);
    }
}

/* Whether everything that was met could be read. */
gboolean
tall_list_output_is_complete (const TallListOutput *self)
{
  return self->n_unreadable == 0;
}

void
tall_list_output_add_orders (TallListOutput *self, const TallOrderList *list)
{
  for (guint i = 0; i < list->n_entries; i++)
    {
      if (self->grid != NULL)
        {
          show_order (self, &list->entries[i]);
          continue;
        }
      g_autofree char *text = order_to_json (&list->entries[i]);
      tall_list_output_add_json (self, text);
    }
  add_unreadable (self, "order_number", list->unreadable, list->n_unreadable);
}

static char *
customer_to_json (const TallCustomerEntry *entry)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "number", entry->number);
  if (entry->name != NULL)
    tall_json_add_text (builder, "name", entry->name);
  if (entry->revision != 0)
    tall_json_add_number (builder, "revision", entry->revision);
  json_builder_end_object (builder);
  return tall_json_build (builder, FALSE);
}

static void
show_customer (TallListOutput *self, const TallCustomerEntry *entry)
{
  tall_grid_add (self->grid, entry->number);
  tall_grid_add (self->grid, entry->name);
  if (entry->revision != 0)
    tall_grid_add_number (self->grid, (guint64)entry->revision);
  else
    tall_grid_add (self->grid, "only orders");
  self->n_entries++;
}

void
tall_list_output_add_customers (TallListOutput *self, const TallCustomerList *list)
{
  for (guint i = 0; i < list->n_entries; i++)
    {
      if (self->grid != NULL)
        {
          show_customer (self, &list->entries[i]);
          continue;
        }
      g_autofree char *text = customer_to_json (&list->entries[i]);
      tall_list_output_add_json (self, text);
    }
  add_unreadable (self, "number", list->unreadable, list->n_unreadable);
}

void
tall_list_output_end (TallListOutput *self, const char *next_page, const char *none)
{
  if (self->grid != NULL)
    {
      if (self->n_entries > 0)
        tall_grid_print (self->grid, 0);
      else if (next_page == NULL && self->n_unreadable == 0)
        tall_print ("%s\n", none);
      return;
    }
  tall_print ("%s]", self->n_entries > 0 ? "\n" : "");
  if (self->n_unreadable > 0)
    tall_print_json (",\"unreadable\":[%s\n]", self->unreadable->str);
  if (next_page != NULL)
    {
      g_autoptr (JsonNode) token = json_node_init_string (json_node_alloc (), next_page);
      g_autofree char *text = json_to_string (token, FALSE);
      tall_print (",\"next_page\":%s", text);
    }
  tall_print ("}\n");
}
