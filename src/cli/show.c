/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"

#include "base/text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "model/json-build.h"
#include "model/model-type.h"
#include "base/fail.h"
#include "tall-front.h"
#include "tall-json.h"

/* Of a total: as many as are shown, and as many as stay if the last are 0. */
#define MOST_PLACES 4
#define LEAST_PLACES 2

static gboolean
check_date (const char *option, const char *text, gboolean *has, gint64 *date, GError **error)
{
  g_autoptr (GError) local = NULL;
  *has = text != NULL;
  if (text == NULL || tall_date_parse_first (text, date, &local))
    return TRUE;
  return tall_error_fail_invalid (error, option, "--%s: %s", option, local->message);
}

/**
 * tall_paging_check:
 * @options: (out caller-allocates): what to ask the front for; points into @self
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, naming the option, if one is wrong
 */
gboolean
tall_paging_check (const TallPaging *self, TallListOptions *options, GError **error)
{
  *options = (TallListOptions){ .page = self->page };
  if (!check_date ("from", self->from, &options->has_from, &options->from, error)
      || !check_date ("to", self->to, &options->has_to, &options->to, error))
    return FALSE;
  if (options->has_from && options->has_to && options->from >= options->to)
    return tall_error_fail_invalid (
        error, "to",
        "--to %s must be later than --from %s: it is the first date that is no longer listed",
        self->to, self->from);
  gboolean given = self->limit != G_MININT;
  if (given && (self->limit < 1 || self->limit > TALL_MAX_PAGE))
    return tall_error_fail_invalid (error, "limit", "--limit takes 1 to %d", TALL_MAX_PAGE);
  if (self->page != NULL && *self->page == '\0')
    return tall_error_fail_invalid (error, "page",
                                    "--page takes the token of a page; leave it out for the first");
  options->limit = given ? (guint)self->limit : self->all ? TALL_MAX_PAGE : 0;
  return TRUE;
}

/**
 * tall_paging_turn:
 * @page: (inout): owns the token that @options points to
 * @next_page: (nullable): token of the page after the one just printed
 *
 * Returns: TRUE if that page is to be fetched, too; @options then asks for it
 */
gboolean
tall_paging_turn (const TallPaging *self,
                  TallListOptions *options,
                  char **page,
                  const char *next_page)
{
  if (!self->all || next_page == NULL)
    return FALSE;
  char *kept = g_strdup (next_page);
  g_free (*page);
  options->page = *page = kept;
  return TRUE;
}

/**
 * tall_append_word:
 *
 * Appends a word of a command line, quoted if a shell would read it otherwise.
 */
void
tall_append_word (GString *line, const char *word)
{
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
  g_autofree char *quoted =
      *word != '\0' && word[strspn (word, plain)] == '\0' ? g_strdup (word) : g_shell_quote (word);
  g_string_append_printf (line, " %s", quoted);
}

/**
 * tall_paging_print_next:
 * @next_page: (nullable): token of the next page; nothing is printed without one
 *
 * Prints the command line that lists the next page: that of this one, with another token.
 */
void
tall_paging_print_next (const TallPaging *self, const char *next_page)
{
  if (next_page == NULL || self->all)
    return;
  g_autoptr (GString) line = g_string_new ("tallorder");
  g_autofree char *option = g_strdup_printf ("--page=%s", next_page);
  tall_append_word (line, self->argv[0]);
  gboolean ended = FALSE;
  for (char **word = self->argv + 1; *word != NULL; word++)
    {
      if (!ended && g_str_equal (*word, "--"))
        {
          tall_append_word (line, option);
          ended = TRUE;
        }
      if (!ended && g_str_equal (*word, "--page") && word[1] != NULL)
        word++;
      else if (ended || !g_str_has_prefix (*word, "--page="))
        tall_append_word (line, *word);
    }
  if (!ended)
    tall_append_word (line, option);
  g_autofree char *clean = tall_text_clean (line->str);
  tall_print_styled (TALL_STYLE_DIM, "Next page: ");
  tall_print ("%s\n", clean);
}

/**
 * tall_paging_fail:
 *
 * Prints why a listing failed; a token that does not belong to it is a wrong call.
 */
TallExit
tall_paging_fail (const TallCommand *command, const GError *error)
{
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID)
      && g_strcmp0 (tall_error_get_field (error), "page") == 0)
    return tall_usage_error (command, "--page: %s", error->message);
  return tall_fail (error);
}

/* Returns: (transfer full): a day alone where the time is midnight, as it mostly is */
static char *
show_date (gint64 date)
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
  tall_print_styled (TALL_STYLE_DIM, "  %-15s ", name);
  tall_print ("%s\n", clean);
}

static void
show_attributes (TallAttribute *const *attributes, gsize n)
{
  if (n == 0)
    return;
  tall_print_styled (TALL_STYLE_DIM, "  attributes\n");
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *key = tall_text_clean (attributes[i]->key);
      tall_print ("  ");
      show_field (key, attributes[i]->value);
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
  if (tall_model_kind (field) == TALL_MODEL_DATE)
    return *tall_model_flag (field, base) ? show_date (*tall_model_date (field, base)) : NULL;
  char text[TALL_DECIMAL_TEXT_SIZE];
  const TallDecimal *decimal = tall_model_get_pointer (field, base);
  return decimal != NULL ? g_strdup (tall_decimal_format (*decimal, text)) : NULL;
}

/* The fields that are there, but attributes and lists, and @except, which is shown elsewhere. */
static void
show_fields (const TallModelType *type, gconstpointer base, const char *except)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      TallModelKind kind = tall_model_kind (field);
      g_autofree char *label = g_strdelimit (g_strdup (field->name), "_", ' ');
      g_autofree char *text = NULL;
      if (kind == TALL_MODEL_TEXT && g_strcmp0 (field->name, except) != 0)
        text = g_strdup (tall_model_get_pointer (field, base));
      else if (kind == TALL_MODEL_STRUCT)
        text = format_address (field->descriptor, tall_model_get_pointer (field, base));
      else if (kind == TALL_MODEL_DATE || kind == TALL_MODEL_DECIMAL || kind == TALL_MODEL_RATE)
        text = format_optional (field, base);
      else if (kind == TALL_MODEL_TEXTS)
        show_texts (field, base);
      show_field (label, text);
    }
}

/* `LINE` for the number of a line, `ITEM` for `item_number`; numbers are at the right. */
static char *
make_heading (const TallModelField *field)
{
  if (tall_model_kind (field) == TALL_MODEL_POSITION)
    return g_strdup (">LINE");
  g_autofree char *upper = g_ascii_strup (field->name, -1);
  if (g_str_has_suffix (upper, "_NUMBER"))
    upper[strlen (upper) - strlen ("_NUMBER")] = '\0';
  return g_strconcat (field->type == PROTOBUF_C_TYPE_STRING ? "" : ">", upper, NULL);
}

static void
show_cell (TallGrid *grid, const TallModelField *field, gconstpointer line)
{
  if (tall_model_kind (field) == TALL_MODEL_POSITION && tall_model_has_position (field, line))
    tall_grid_add_number (grid, (guint64)*tall_model_position (field, line));
  else if (tall_model_kind (field) == TALL_MODEL_POSITION)
    tall_grid_add (grid, "");
  else if (field->type == PROTOBUF_C_TYPE_STRING)
    tall_grid_add (grid, tall_model_get_pointer (field, line));
  else
    {
      g_autofree char *text = format_optional (field, line);
      tall_grid_add (grid, text != NULL ? text : "");
    }
}

/* @type: of the @n structs: lines or adjustments */
static void
show_structs (const TallModelType *type, gpointer const *structs, gsize n)
{
  g_auto (GStrv) columns = g_new0 (char *, type->n_fields + 1);
  for (guint i = 0; i < type->n_fields; i++)
    columns[i] = make_heading (&type->fields[i]);

  g_autoptr (TallGrid) grid = tall_grid_new ((const char *const *)columns);
  for (gsize i = 0; i < n; i++)
    for (guint k = 0; k < type->n_fields; k++)
      show_cell (grid, &type->fields[k], structs[i]);
  tall_grid_print (grid, 4);
}

static void
show_location (const TallShippingLocation *location)
{
  tall_print ("\n");
  tall_print_styled (TALL_STYLE_BOLD, "  Location %d\n", location->number);
  show_fields (&tall_model_location, location, NULL);
  if (location->n_line_items > 0)
    show_structs (&tall_model_line, (gpointer const *)location->line_items, location->n_line_items);
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
  tall_print_styled (TALL_STYLE_DIM, "  %-15s ", "revision");
  tall_print ("%s\n", text);
}

/* A total for people: no more places than money has, as rates of discounts have many. */
static const char *
format_total (TallDecimal total, char text[TALL_DECIMAL_TEXT_SIZE])
{
  gint64 unit = 1;
  for (; total.scale > MOST_PLACES; total.scale--)
    unit *= 10;
  gint64 rest = total.unscaled % unit;
  total.unscaled /= unit;
  if (unit > 1 && ABS (rest) >= unit / 2)
    total.unscaled += rest > 0 ? 1 : -1;
  for (; unit > 1 && total.scale > LEAST_PLACES && total.unscaled % 10 == 0; total.scale--)
    total.unscaled /= 10;
  return tall_decimal_format (total, text);
}

/* @subtotal: (nullable): of the lines, if the total has more in it */
static void
show_total (guint n_lines,
            const TallDecimal *subtotal,
            const TallDecimal *total,
            const char *currency)
{
  char text[TALL_DECIMAL_TEXT_SIZE];
  tall_print ("\n  %u %s", n_lines, n_lines == 1 ? "line" : "lines");
  if (subtotal != NULL)
    tall_print (", subtotal %s", format_total (*subtotal, text));
  if (total != NULL)
    {
      g_autofree char *clean = tall_text_clean (currency != NULL ? currency : "");
      tall_print (", total %s%s%s", format_total (*total, text), *clean ? " " : "", clean);
    }
  else
    tall_print (", whose total has too many digits");
  tall_print ("\n");
}

static void
show_total_of (const TallOrder *order)
{
  TallDecimal subtotal, total;
  gboolean has_subtotal =
      order->n_adjustments > 0 && tall_order_compute_subtotal (order, &subtotal);
  show_total (tall_order_count_lines (order), has_subtotal ? &subtotal : NULL,
              tall_order_compute_total (order, &total) ? &total : NULL, order->currency);
}

static void
show_adjustments (const TallOrder *order)
{
  if (order->n_adjustments == 0)
    return;
  tall_print ("\n");
  tall_print_styled (TALL_STYLE_BOLD, "  Adjustments\n");
  show_structs (&tall_model_adjustment, (gpointer const *)order->adjustments, order->n_adjustments);
}

static gboolean
has_line (const TallOrder *order, gint32 number)
{
  for (gsize i = 0; i < order->n_shipping_locations; i++)
    for (gsize k = 0; k < order->shipping_locations[i]->n_line_items; k++)
      if (order->shipping_locations[i]->line_items[k]->number == number)
        return TRUE;
  return FALSE;
}

/**
 * tall_show_warn_of_adjustment:
 * @order: that was stored, with its lines
 * @i: the position of an adjustment
 *
 * Says on standard error if it adds to the total though its kind takes off, as a sign may have been
 * forgotten, or if it belongs to a line that the order does not have. It counts all the same.
 */
void
tall_show_warn_of_adjustment (const TallOrder *order, gsize i)
{
  const TallAdjustment *adjustment = order->adjustments[i];
  gboolean takes_off =
      g_str_equal (adjustment->kind, "discount") || g_str_equal (adjustment->kind, "refund");
  char amount[TALL_DECIMAL_TEXT_SIZE];
  tall_decimal_format (*adjustment->amount, amount);
  if (takes_off && adjustment->amount->unscaled > 0)
    tall_print_error ("Order %s of %s is stored all the same: its %s of %s adds to the total; to "
                      "mend: patch 'adjustment[%" G_GSIZE_FORMAT "].amount=-%s'",
                      order->order_number, order->customer_number, adjustment->kind, amount, i + 1,
                      amount);
  if (adjustment->has_line && !has_line (order, adjustment->line))
    tall_print_error ("Order %s of %s is stored all the same: its %s of %s belongs to line %d, "
                      "which it does not have; to mend: patch 'adjustment[%" G_GSIZE_FORMAT
                      "].line=NUMBER'",
                      order->order_number, order->customer_number, adjustment->kind, amount,
                      adjustment->line, i + 1);
}

/**
 * tall_show_warn_of_adjustments:
 *
 * The same of each.
 */
void
tall_show_warn_of_adjustments (const TallOrder *order)
{
  for (gsize i = 0; i < order->n_adjustments; i++)
    tall_show_warn_of_adjustment (order, i);
}

/* @part: (nullable): the name of the only part of it that is there
 * @entry: (nullable): of a summary */
void
tall_show_order (const TallOrder *order,
                 gint64 revision,
                 const char *part,
                 const TallOrderEntry *entry)
{
  g_autofree char *title =
      g_strdup_printf ("Order %s of %s", order->order_number, order->customer_number);
  g_autofree char *clean = tall_text_clean (title);
  tall_print_styled (TALL_STYLE_BOLD, "%s\n", clean);
  show_fields (&tall_model_order, order, part != NULL && entry == NULL ? NULL : "currency");
  show_revision (revision);
  show_attributes (order->attributes, order->n_attributes);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    show_location (order->shipping_locations[i]);
  show_adjustments (order);

  if (entry != NULL)
    show_total (entry->n_lines, NULL, entry->has_total ? &entry->total : NULL, entry->currency);
  else if (part == NULL)
    show_total_of (order);
  if (part != NULL)
    tall_print ("\n  only its %s\n", part);
}

void
tall_show_customer (const TallCustomer *customer, gint64 revision)
{
  g_autofree char *clean = tall_text_clean (customer->number);
  tall_print_styled (TALL_STYLE_BOLD, "Customer %s\n", clean);
  show_fields (&tall_model_customer, customer, NULL);
  show_revision (revision);
  show_attributes (customer->attributes, customer->n_attributes);
}

struct _TallListOutput
{
  guint64 n_entries;
  guint64 n_unreadable;
  TallGrid *grid;      /* NULL: as JSON, or as whole orders for people */
  GString *unreadable; /* what could not be read; NULL: not as JSON */
};

const char *const tall_order_columns[] = { "ORDER",    "SALES DATE", ">LINES", ">TOTAL",
                                           "CURRENCY", ">REVISION",  NULL };
const char *const tall_found_columns[] = { "CUSTOMER", "ORDER",    "SALES DATE", ">LINES",
                                           ">TOTAL",   "CURRENCY", ">REVISION",  NULL };
const char *const tall_customer_columns[] = { "CUSTOMER", "NAME", ">REVISION", NULL };

TallListOutput *
tall_list_output_new_table (const char *const *columns)
{
  TallListOutput *self = g_new0 (TallListOutput, 1);
  self->grid = columns != NULL ? tall_grid_new (columns) : NULL;
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
  g_clear_pointer (&self->grid, tall_grid_free);
  if (self->unreadable != NULL)
    g_string_free (self->unreadable, TRUE);
  g_free (self);
}

/* Adds an entry, which is a JSON object. */
static void
add_json (TallListOutput *self, const char *entry)
{
  tall_print_json ("%s\n%s", self->n_entries++ > 0 ? "," : "", entry);
}

/* Adds an entry: a row, or an object in a line of its own.
 * @customer: (nullable): of an order, where entries are of several */
static void
add_item (TallListOutput *self,
          void (*add) (const TallList *list, gconstpointer entry, const char *customer),
          gconstpointer entry,
          const char *customer)
{
  if (self->grid != NULL)
    {
      add (&(TallList){ .grid = self->grid }, entry, customer);
      self->n_entries++;
      return;
    }
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  add (&(TallList){ .builder = builder }, entry, customer);
  json_builder_end_object (builder);
  g_autofree char *text = tall_json_build (builder, FALSE);
  add_json (self, text);
}

/* People see a shorter date and total, and the revision at the end. */
static void
add_order (const TallList *list, gconstpointer item, const char *customer)
{
  const TallOrderEntry *entry = item;
  gboolean json = list->builder != NULL;
  char date[TALL_DATE_TEXT_SIZE], total[TALL_DECIMAL_TEXT_SIZE];
  g_autofree char *day = entry->has_sales_date ? show_date (entry->sales_date) : NULL;
  if (customer != NULL)
    tall_list_add (list, "customer_number", customer, "");
  tall_list_add (list, "order_number", entry->order_number, "");
  if (json)
    tall_list_add_number (list, "revision", (guint64)entry->revision, NULL);
  tall_list_add (list, "sales_date",
                 json && day != NULL ? tall_date_format (entry->sales_date, date) : day, "");
  tall_list_add_number (list, "lines", entry->n_lines, NULL);
  tall_list_add (list, "total",
                 !entry->has_total ? NULL
                 : json            ? tall_decimal_format (entry->total, total)
                                   : format_total (entry->total, total),
                 "");
  tall_list_add (list, "currency", entry->currency, "");
  if (!json)
    tall_list_add_number (list, NULL, (guint64)entry->revision, NULL);
}

static void
add_customer (const TallList *list, gconstpointer item, const char *none G_GNUC_UNUSED)
{
  const TallCustomerEntry *entry = item;
  tall_list_add (list, "number", entry->number, "");
  tall_list_add (list, "name", entry->name, "");
  if (entry->revision != 0 || list->grid != NULL)
    tall_list_add_number (list, "revision", (guint64)entry->revision, "only orders");
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

/* Of something whose number only the message says. */
void
tall_list_output_add_failure (TallListOutput *self, const GError *error)
{
  g_autofree char *why = tall_error_describe (error);
  const TallUnreadable unreadable = { .code = error->code, .message = why };
  add_unreadable (self, "", &unreadable, 1);
}

static void
add_whole (TallListOutput *self, const TallOrder *order, gint64 revision)
{
  if (self->unreadable == NULL)
    {
      tall_print ("%s", self->n_entries++ > 0 ? "\n" : "");
      tall_show_order (order, revision, NULL, NULL);
      return;
    }
  g_autofree char *text = tall_order_to_json (order, FALSE);
  g_autofree char *json = tall_json_add_revision (text, revision);
  add_json (self, json);
}

/* An order of any customer: as in a listing if there is an entry of it, else whole. */
void
tall_list_output_add_outcome (TallListOutput *self, const TallOutcome *outcome)
{
  if (outcome->error != NULL)
    tall_list_output_add_failure (self, outcome->error);
  else if (outcome->entry != NULL)
    add_item (self, add_order, outcome->entry, outcome->order->customer_number);
  else
    add_whole (self, outcome->order, outcome->revision);
}

void
tall_list_output_add_orders (TallListOutput *self, const TallOrderList *list)
{
  for (guint i = 0; i < list->n_entries; i++)
    add_item (self, add_order, &list->entries[i], NULL);
  add_unreadable (self, "order_number", list->unreadable, list->n_unreadable);
}

void
tall_list_output_add_customers (TallListOutput *self, const TallCustomerList *list)
{
  for (guint i = 0; i < list->n_entries; i++)
    add_item (self, add_customer, &list->entries[i], NULL);
  add_unreadable (self, "number", list->unreadable, list->n_unreadable);
}

/* Returns: (transfer full): as JSON has it */
char *
tall_show_quote_json (const char *text)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), text);
  return json_to_string (node, FALSE);
}

void
tall_list_output_end (TallListOutput *self, const char *next_page, const char *none)
{
  if (self->unreadable == NULL)
    {
      if (self->n_entries > 0 && self->grid != NULL)
        tall_grid_print (self->grid, 0);
      else if (self->n_entries == 0 && next_page == NULL && self->n_unreadable == 0)
        tall_print ("%s\n", none);
      return;
    }
  tall_print ("%s]", self->n_entries > 0 ? "\n" : "");
  if (self->n_unreadable > 0)
    tall_print_json (",\"unreadable\":[%s\n]", self->unreadable->str);
  if (next_page != NULL)
    {
      g_autofree char *text = tall_show_quote_json (next_page);
      tall_print (",\"next_page\":%s", text);
    }
  tall_print ("}\n");
}
