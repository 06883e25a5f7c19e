/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"
#include "tall-front.h"
#include "tall-json.h"
#include "model/model-type.h"
#include "cli/output.h"
#include "base/text.h"

/**
 * tall_show_date:
 *
 * Returns: (transfer full): a day alone where the time is midnight, as it mostly is
 */
char *
tall_show_date (gint64 date)
{
  char text[TALL_DATE_TEXT_SIZE];
  tall_date_format (date, text);
  char *time = strchr (text, 'T');
  if (time != NULL && g_str_equal (time, "T00:00:00.000Z"))
    *time = '\0';
  return g_strdup (text);
}

static void
show_field (const char *name, const char *text)
{
  if (text == NULL)
    return;
  g_autofree char *clean = tall_text_clean (text);
  tall_print_styled (TALL_STYLE_DIM, "  %-14s ", name);
  tall_print ("%s\n", clean);
}

static void
show_attributes (const TallAttributes *attributes)
{
  if (attributes->n_items == 0)
    return;
  tall_print_styled (TALL_STYLE_DIM, "  attributes\n");
  for (guint i = 0; i < attributes->n_items; i++)
    {
      g_autofree char *key = tall_text_clean (attributes->items[i].key);
      tall_print ("  ");
      show_field (key, attributes->items[i].value);
    }
}

/* The order in which an envelope has the fields of an address; others come after these. */
static const char *const envelope[] = { "line1", "line2", "zip", "city", "state", "country" };

static guint
get_place (const TallModelField *field)
{
  guint place = 0;
  while (place < G_N_ELEMENTS (envelope) && !g_str_equal (envelope[place], field->name))
    place++;
  return place;
}

static void
append_part (GString *text, const char *part)
{
  if (part != NULL && *part != '\0')
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", part);
}

static char *
format_address (const TallModelType *type, gconstpointer address)
{
  if (address == NULL)
    return NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint place = 0; place <= G_N_ELEMENTS (envelope); place++)
    for (guint i = 0; i < type->n_fields; i++)
      if (get_place (&type->fields[i]) == place)
        append_part (text, tall_model_get_pointer (&type->fields[i], address));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Under the name of one: `phone`. */
static void
show_texts (const TallModelField *field, gconstpointer base)
{
  char *const *texts = tall_model_get_pointer (field, base);
  g_autofree char *label = g_strndup (field->name, strlen (field->name) - 1);
  for (guint i = 0; i < *tall_model_count (field, base); i++)
    show_field (label, texts[i]);
}

/* A date or a decimal; NULL: it is absent. */
static char *
format_optional (const TallModelField *field, gconstpointer base)
{
  if (!*tall_model_flag (field, base))
    return NULL;
  if (field->kind == TALL_MODEL_DATE)
    return tall_show_date (*tall_model_date (field, base));
  char text[TALL_DECIMAL_TEXT_SIZE];
  return g_strdup (tall_decimal_format (*tall_model_decimal (field, base), text));
}

/* The fields that are there, but attributes and lists, and @except, which is shown elsewhere. */
static void
show_fields (const TallModelType *type, gconstpointer base, const char *except)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      g_autofree char *label = g_strdelimit (g_strdup (field->name), "_", ' ');
      g_autofree char *text = NULL;
      if (field->kind == TALL_MODEL_TEXT && g_strcmp0 (field->name, except) != 0)
        text = g_strdup (tall_model_get_pointer (field, base));
      else if (field->kind == TALL_MODEL_STRUCT)
        text = format_address (field->type, tall_model_get_pointer (field, base));
      else if (field->kind == TALL_MODEL_DATE || field->kind == TALL_MODEL_DECIMAL
               || field->kind == TALL_MODEL_RATE)
        text = format_optional (field, base);
      else if (field->kind == TALL_MODEL_TEXTS)
        show_texts (field, base);
      show_field (label, text);
    }
}

/* `LINE` for the number of a line, `ITEM` for `item_number`; numbers are at the right. */
static char *
make_heading (const TallModelField *field)
{
  if (field->kind == TALL_MODEL_POSITION)
    return g_strdup (">LINE");
  g_autofree char *upper = g_ascii_strup (field->name, -1);
  if (g_str_has_suffix (upper, "_NUMBER"))
    upper[strlen (upper) - strlen ("_NUMBER")] = '\0';
  return g_strconcat (field->kind == TALL_MODEL_TEXT ? "" : ">", upper, NULL);
}

static void
show_cell (TallGrid *grid, const TallModelField *field, gconstpointer line)
{
  if (field->kind == TALL_MODEL_POSITION)
    tall_grid_add_number (grid, (guint64)*tall_model_position (field, line));
  else if (field->kind == TALL_MODEL_TEXT)
    tall_grid_add (grid, tall_model_get_pointer (field, line));
  else
    {
      g_autofree char *text = format_optional (field, line);
      tall_grid_add (grid, text != NULL ? text : "");
    }
}

static void
show_lines (const TallShippingLocation *location)
{
  const TallModelType *type = &tall_model_line;
  g_auto (GStrv) columns = g_new0 (char *, type->n_fields + 1);
  for (guint i = 0; i < type->n_fields; i++)
    columns[i] = make_heading (&type->fields[i]);

  g_autoptr (TallGrid) grid = tall_grid_new ((const char *const *)columns);
  for (guint i = 0; i < location->n_line_items; i++)
    for (guint k = 0; k < type->n_fields; k++)
      show_cell (grid, &type->fields[k], &location->line_items[i]);
  tall_grid_print (grid, 4);
}

static void
show_location (const TallShippingLocation *location)
{
  tall_print ("\n");
  tall_print_styled (TALL_STYLE_BOLD, "  Location %d\n", location->number);
  show_fields (&tall_model_location, location, NULL);
  if (location->n_line_items > 0)
    show_lines (location);
  else
    tall_print ("    no lines\n");
}

/**
 * tall_show_describe_revision:
 *
 * Returns: (transfer full): the number, and what it says: when it was stored, or that a load did
 */
char *
tall_show_describe_revision (gint64 revision)
{
  char text[TALL_DATE_TEXT_SIZE];
  return g_strdup_printf ("%" G_GINT64_FORMAT " (%s)", revision,
                          revision < TALL_FIRST_REVISION ? "loaded"
                                                         : tall_date_format (revision, text));
}

static void
show_revision (gint64 revision)
{
  g_autofree char *text = tall_show_describe_revision (revision);
  tall_print_styled (TALL_STYLE_DIM, "  %-14s ", "revision");
  tall_print ("%s\n", text);
}

void
tall_show_order (const TallOrder *order, gint64 revision)
{
  char text[TALL_DECIMAL_TEXT_SIZE];
  TallDecimal total;
  g_autofree char *title =
      g_strdup_printf ("Order %s of %s", order->order_number, order->customer_number);
  g_autofree char *clean = tall_text_clean (title);
  tall_print_styled (TALL_STYLE_BOLD, "%s\n", clean);
  show_fields (&tall_model_order, order, "currency");
  show_revision (revision);
  show_attributes (&order->attributes);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    show_location (&order->shipping_locations[i]);

  guint n_lines = tall_order_count_lines (order);
  tall_print ("\n  %u %s", n_lines, n_lines == 1 ? "line" : "lines");
  if (tall_order_compute_total (order, &total))
    {
      g_autofree char *currency = tall_text_clean (order->currency != NULL ? order->currency : "");
      tall_print (", total %s%s%s", tall_decimal_format (total, text), *currency ? " " : "",
                  currency);
    }
  tall_print ("\n");
}

void
tall_show_customer (const TallCustomer *customer, gint64 revision)
{
  g_autofree char *clean = tall_text_clean (customer->number);
  tall_print_styled (TALL_STYLE_BOLD, "Customer %s\n", clean);
  show_fields (&tall_model_customer, customer, NULL);
  show_revision (revision);
  show_attributes (&customer->attributes);
}
