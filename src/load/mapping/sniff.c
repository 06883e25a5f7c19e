/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-private.h"

#include "load/sql/query.h"
#include "tall-limits.h"

#include <string.h>

/* What columns are usually called, in English, German and French, the surest first; without capital
 * letters and anything between letters. An address may also have a word before it. */
static const char *const known[][2] = {
  { "order.order_number",
    "orderid ordernumber orderno ordernr order orderref invoiceno invoicenumber invoiceid invoice "
    "bestellnummer bestellnr bestellung auftragsnummer auftragsnr auftrag rechnungsnummer "
    "rechnungsnr rechnung numerodecommande commande" },
  { "order.customer_number",
    "customerid customernumber customerno customernr customer custid clientid accountnumber "
    "kundennummer kundennr kundenid kunde numeroclient client userid buyerid" },
  { "order.sales_date",
    "orderdate salesdate saledate invoicedate orderpurchasetimestamp purchasedate bestelldatum "
    "auftragsdatum rechnungsdatum datum datedecommande orderedat createdat date timestamp" },
  { "order.currency", "currency currencycode waehrung währung devise" },
  { "location.number", "locationnumber locationno shippinglocation" },
  { "location.name",
    "shipname shipto shiptoname shippingname recipient lieferscheinname empfaenger empfänger" },
  { "address.line1", "address address1 street strasse straße lieferstrasse adresse" },
  { "address.line2", "address2 adresszusatz" },
  { "address.city", "city town ort stadt ville" },
  { "address.state", "state region bundesland province" },
  { "address.zip", "postalcode zip zipcode postcode plz postleitzahl codepostal" },
  { "address.country", "country land pays" },
  { "location.ship_date", "shippeddate shipdate shippingdate shippedat versanddatum lieferdatum" },
  { "line.number", "lineno linenumber lineitemnumber orderitemid positionsnummer position pos" },
  { "line.item_number",
    "itemnumber itemno itemid stockcode sku productid productcode productno articleno "
    "articlenumber artikelnummer artikelnr reference item product artikel lineitemsku" },
  { "line.description",
    "description itemdescription productname itemname bezeichnung artikelbezeichnung "
    "beschreibung designation lineitemname" },
  { "line.quantity", "quantity qty menge anzahl stueck stück quantite lineitemquantity" },
  { "line.price", "unitprice price itemprice einzelpreis stueckpreis stückpreis vkpreis preis "
                  "preiseur preisineur "
                  "preisbrutto priceeur prix prixunitaire lineitemprice" },
  { "line.discount", "discount rabatt remise lineitemdiscount discountamount rabattbetrag" },
  { "customer.number",
    "customerid customernumber customerno customernr custid clientid accountnumber kundennummer "
    "kundennr kundenid numeroclient customer number id" },
  { "customer.name", "companyname customername company firma firmenname nom name" },
  { "customer.phones", "phone phones telephone phonenumber telefon tel" },
  { "customer.email", "email emailaddress mail" },
};
#define TOTALS "linetotal itemtotal extendedprice lineamount sales gesamtpreis betrag"
#define AMOUNTS "lineitemdiscount discountamount rabattbetrag"

static const char *const money[][2] = {
  { "adjustment.shipping",
    "shipping shippingcost shippingcosts shippingamount versandkosten versand porto fraisdeport" },
  { "adjustment.tax", "tax taxamount salestax mwst ust steuer umsatzsteuer tva" },
  { "discount_amount", "orderdiscount discounttotal" },
}; /* of the order, beside its lines */

static const char *const address_prefixes[] = { "ship", "shipping", "shipto" };

/* Ways to write dates, the likeliest first. */
static const TallSniffDates date_ways[TALL_SNIFF_N_DATES] = {
  { "iso", TALL_DATES_ISO },
  { "dmy", TALL_DATES_DMY },
  { "mdy", TALL_DATES_MDY },
  { "dmy", TALL_DATES_DMY, .has_short_years = TRUE },
  { "mdy", TALL_DATES_MDY, .has_short_years = TRUE },
  { "%Y/%m/%d|%Y/%m/%d %H:%M|%Y/%m/%d %H:%M:%S", TALL_DATES_OWN },
  { "%b-%d-%y|%b %d, %y", TALL_DATES_OWN, .has_short_years = TRUE },
  { "%d %b %Y|%d-%b-%Y|%d-%b-%Y %H:%M", TALL_DATES_OWN },
  { "%b %d, %Y|%a, %d %b %Y", TALL_DATES_OWN },
  { "%m/%d/%Y %I:%M %p|%m/%d/%Y %I:%M:%S %p", TALL_DATES_OWN },
  { "%d/%m/%Y %I:%M %p|%d/%m/%Y %I:%M:%S %p", TALL_DATES_OWN },
  { "%Y-%m-%d %H:%M:%S.%f|%Y-%m-%dT%H:%M:%S.%f%z|%Y-%m-%d %H:%M:%S %z", TALL_DATES_OWN },
  { "%Y%m%d|%Y%m%d%H%M%S", TALL_DATES_OWN, .is_vague = TRUE },
  { "%s", TALL_DATES_OWN, .is_vague = TRUE },
  { "%Q", TALL_DATES_OWN, .is_vague = TRUE },
};

#define N_WAYS TALL_SNIFF_N_DATES
#define FIRST_YEAR 1970

/* Small letters and digits of a column's name only, without what stands in parentheses behind it,
 * such as a currency. */
const char *
tall_sniff_normalize (TallSniff *self, const char *name)
{
  g_autofree char *lower = g_utf8_strdown (name, -1);
  g_autoptr (GString) text = g_string_new (NULL);
  for (const char *at = lower; *at != '\0' && (*at != '(' || text->len == 0);
       at = g_utf8_next_char (at))
    if (g_unichar_isalnum (g_utf8_get_char (at)))
      g_string_append_unichar (text, g_utf8_get_char (at));
  return tall_arena_strdup (self->arena, text->str);
}

/* The place of a word among others, from 0; -1: it is not one of them. */
gint
tall_sniff_find_word (const char *words, const char *word)
{
  g_auto (GStrv) list = g_strsplit (words, " ", -1);
  for (gint i = 0; list[i] != NULL; i++)
    if (g_str_equal (list[i], word))
      return i;
  return -1;
}

/* How sure it is that a column of that name holds the field: 0 is the surest; -1: it usually does
 * not. An address with a word before it is surer than one without. */
gint
tall_sniff_rate_name (TallSniff *self, const TallCsvField *field, const char *name)
{
  const char *own = tall_sniff_normalize (self, name);
  g_autofree char *full =
      g_strconcat (tall_csv_field_scope_name (field->scope), ".", field->name, NULL);
  const char *key = field->address != NULL && field->scope != TALL_SCOPE_ORDER ? field->name : full;
  guint i = 0;
  while (i < G_N_ELEMENTS (known) && !g_str_equal (known[i][0], key))
    i++;
  if (i == G_N_ELEMENTS (known))
    return -1;
  gboolean has_prefix = field->scope == TALL_SCOPE_LOCATION && field->address != NULL;
  for (guint k = 0; has_prefix && k < G_N_ELEMENTS (address_prefixes); k++)
    {
      gsize len = strlen (address_prefixes[k]);
      gint rank = g_str_has_prefix (own, address_prefixes[k])
                      ? tall_sniff_find_word (known[i][1], own + len)
                      : -1;
      if (rank >= 0)
        return rank;
    }
  gint rank = tall_sniff_find_word (known[i][1], own);
  return rank >= 0 && has_prefix ? rank + 100 : rank;
}

/* Whether a column is called as a mapping calls the field: `ship_date`, `location.ship_date`. What
 * things of two kinds have, such as a number, needs the longer name. */
static gboolean
is_own_name (const TallCsvField *field, const char *name)
{
  guint n, n_same = 0;
  const TallCsvField *fields = tall_csv_fields (&n);
  g_autofree char *full =
      g_strconcat (tall_csv_field_scope_name (field->scope), ".", field->name, NULL);
  for (guint i = 0; i < n; i++)
    n_same += g_str_equal (fields[i].name, field->name);
  return g_str_equal (name, full)
         || (g_str_equal (name, field->name) && (n_same == 1 || field->address != NULL));
}

static const char *
get_text (const TallSniffColumn *column, guint row)
{
  return tall_sample_get (column->file, row, column->i);
}

TallSniffColumn *
tall_sniff_find (const TallSniff *self, TallCsvScope scope, const char *field)
{
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    if (column->field == tall_csv_field_find (scope, field))
      return column;
  return NULL;
}

/* How many values of a column are of that kind, written in that way. @n: (out): of how many that
 * are not empty */
static guint
count_fits (const TallSniffColumn *column,
            TallModelKind kind,
            const TallValueFormat *format,
            guint *n)
{
  guint fitting = 0;
  gint64 date;
  TallDecimal value;
  *n = 0;
  for (guint row = 0; row < column->file->rows->len; row++)
    {
      const char *text = get_text (column, row);
      if (*text == '\0')
        continue;
      ++*n;
      fitting += kind == TALL_MODEL_DATE      ? tall_parse_date (text, format, &date, NULL)
                 : kind == TALL_MODEL_DECIMAL ? tall_parse_decimal (text, format, &value, NULL)
                 : kind == TALL_MODEL_RATE    ? tall_parse_discount (text, format, &value, NULL)
                                              : tall_validate_number (text, NULL, NULL);
    }
  return fitting;
}

static gboolean
one_misfits (const TallSniffColumn *column, TallModelKind kind, const TallValueFormat *format)
{
  guint n;
  return count_fits (column, kind, format, &n) < n;
}

static TallValueFormat
make_date_format (guint way)
{
  return (TallValueFormat){ .dates = date_ways[way].kind,
                            .date_forms = date_ways[way].dates,
                            .first_year = date_ways[way].has_short_years ? FIRST_YEAR : 0 };
}

/* TRUE if all values of a column look like dates, and like nothing else. */
static gboolean
is_date (const TallSniffColumn *column)
{
  guint n;
  for (guint way = 0; way < N_WAYS; way++)
    {
      TallValueFormat format = make_date_format (way);
      if (!date_ways[way].is_vague && count_fits (column, TALL_MODEL_DATE, &format, &n) == n
          && n > 0)
        return TRUE;
    }
  return FALSE;
}

/* Of a file that is looked up, the file that names its rows says whether the order has one of it.
 */
static TallSniffAgreement
compare_rows (const TallSniff *self, const TallSniffColumn *column)
{
  const TallSample *file = column->file;
  const TallSniffColumn *number = tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number");
  gboolean is_here = number != NULL && number->file == file;
  gint key = file->key < 0 && is_here ? (gint)number->i : file->key;
  TallSniffAgreement rows = TALL_SNIFF_SAME;
  if (key < 0 || file->from >= 0)
    return file->is_of_order ? TALL_SNIFF_SAME : TALL_SNIFF_DIFFERS;
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  const char *order = "";
  for (guint row = 0; row < file->rows->len; row++)
    {
      const char *text = get_text (column, row), *own = tall_sample_get (file, row, (guint)key);
      order = self->fills && *own == '\0' ? order : own;
      const char *first = g_hash_table_lookup (values, order);
      if (*order == '\0')
        continue;
      if (first == NULL)
        g_hash_table_insert (values, (gpointer)order, (gpointer)text);
      else if (!g_str_equal (first, text) && *text != '\0')
        return TALL_SNIFF_DIFFERS;
      else if (!g_str_equal (first, text))
        rows = TALL_SNIFF_FIRST_ONLY;
    }
  return rows;
}

static void
take (TallSniffColumn *column, const TallCsvField *field, const char *reason)
{
  if (column == NULL)
    return;
  column->field = field;
  column->reason = reason;
}

/* The free column with the surest name for a field: its own, or one that is usual. */
static TallSniffColumn *
find_by_name (TallSniff *self, const TallCsvField *field, gboolean is_own)
{
  TallSniffColumn *found = NULL;
  gint best = G_MAXINT;
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    {
      gint rank = !is_own ? tall_sniff_rate_name (self, field, column->name)
                          : is_own_name (field, column->file->columns[column->i]) - 1;
      if (column->field != NULL || rank < 0 || rank >= best)
        continue;
      found = column;
      best = rank;
    }
  return found;
}

/* How many values there are, and how often another follows. */
static guint
count_values (const TallSniffColumn *column, guint *n_runs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  *n_runs = 0;
  for (guint row = 0; row < column->file->rows->len; row++)
    {
      g_hash_table_add (seen, (gpointer)get_text (column, row));
      *n_runs += row == 0 || !g_str_equal (get_text (column, row - 1), get_text (column, row));
    }
  return g_hash_table_size (seen);
}

/* The free column of keys with most values: of orders, whose values come in runs, each once; or of
 * customers, of whom an order has one. */
static TallSniffColumn *
find_by_content (TallSniff *self, gboolean of_orders)
{
  TallSniffColumn *found = NULL;
  guint most = 1, n_runs;
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    {
      guint n_rows = column->file->rows->len;
      if (column->field != NULL || is_date (column)
          || (!of_orders && compare_rows (self, column) != TALL_SNIFF_SAME)
          || count_fits (column, TALL_MODEL_NUMBER, NULL, &n_runs) < n_rows)
        continue;
      guint n = count_values (column, &n_runs);
      if (n <= most || (of_orders && (n != n_runs || n == n_rows)))
        continue;
      found = column;
      most = n;
    }
  return found;
}

static void
take_by_content (TallSniff *self)
{
  const TallCsvField *order = tall_csv_field_find (TALL_SCOPE_ORDER, "order_number");
  const TallCsvField *customer = tall_csv_field_find (TALL_SCOPE_ORDER, "customer_number");
  const TallCsvField *date = tall_csv_field_find (TALL_SCOPE_ORDER, "sales_date");
  const TallCsvField *price = tall_csv_field_find (TALL_SCOPE_LINE, "price");
  gboolean has_quantity = tall_sniff_find (self, TALL_SCOPE_LINE, "quantity") != NULL;
  if (tall_sniff_find (self, order->scope, order->name) == NULL)
    take (find_by_content (self, TRUE), order,
          "By its values, not by its name: each comes in rows that follow each other.");
  if (tall_sniff_find (self, order->scope, order->name) != NULL
      && tall_sniff_find (self, customer->scope, customer->name) == NULL)
    take (find_by_content (self, FALSE), customer,
          "By its values, not by its name: each order has one.");
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    if (column->field != NULL)
      continue;
    else if (tall_sniff_find (self, date->scope, date->name) == NULL && is_date (column))
      take (column, date, "By its values, not by its name: they are dates.");
    else if (has_quantity && tall_sniff_find (self, price->scope, price->name) == NULL
             && tall_sniff_find_word (TOTALS, tall_sniff_normalize (self, column->name)) >= 0)
      {
        take (column, price, "By its name, what all pieces cost; look at some lines.");
        column->is_total = TRUE;
      }
}

/* Rows without an order's number go on with the order before them if they have no customer either,
 * but a quantity. */
static gboolean
find_fills (const TallSniff *self)
{
  const TallSniffColumn *order = tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number");
  const TallSniffColumn *customer = tall_sniff_find (self, TALL_SCOPE_ORDER, "customer_number");
  const TallSniffColumn *quantity = tall_sniff_find (self, TALL_SCOPE_LINE, "quantity");
  const TallValueFormat plain = { 0 };
  TallDecimal value;
  guint n = 0;
  if (self->files->len > 1 || order == NULL || customer == NULL || quantity == NULL)
    return FALSE;
  for (guint row = 1; row < order->file->rows->len; row++)
    if (*get_text (order, row) == '\0' && *get_text (customer, row) == '\0'
        && (n++, !tall_parse_decimal (get_text (quantity, row), &plain, &value, NULL)))
      return FALSE;
  return n > 0;
}

static void
guess_fields (TallSniff *self)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (gint own = 1; own >= 0; own--)
    for (guint i = 0; i < n; i++)
      if ((fields[i].scope == TALL_SCOPE_CUSTOMER) == (self->kind == TALL_MAPPING_CUSTOMERS)
          && tall_sniff_find (self, fields[i].scope, fields[i].name) == NULL)
        take (find_by_name (self, &fields[i], own), &fields[i], "By its name.");
  if (self->kind == TALL_MAPPING_ORDERS)
    take_by_content (self);
  self->fills = self->kind == TALL_MAPPING_ORDERS && find_fills (self);
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    column->rows = compare_rows (self, column);
}

#define MAX_SIGNS 3
#define MAX_SIGN_LENGTH 4

/* What stands around the digits of numbers: signs of currencies, with spaces between them. NULL:
 * nothing, or too much. */
static const char *
find_signs (const TallSniff *self)
{
  static const char around[] = "0123456789.,'()- ";
  g_autoptr (GPtrArray) signs = g_ptr_array_new_with_free_func (g_free);
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    for (guint row = 0; row < column->file->rows->len; row++)
      {
        TallModelKind kind = tall_sniff_get_kind (column);
        if (kind != TALL_MODEL_DECIMAL && kind != TALL_MODEL_RATE)
          break;
        const char *at = get_text (column, row);
        at += strspn (at, around);
        g_autofree char *sign = g_strndup (at, strcspn (at, around));
        g_auto (GStrv) parts = g_strsplit (sign, "\xc2\xa0", -1);
        g_autofree char *joined = g_strjoinv ("", parts);
        if (*joined != '\0' && strpbrk (joined, "\"%+") == NULL && strstr (joined, "’") == NULL
            && g_utf8_strlen (joined, -1) <= MAX_SIGN_LENGTH
            && !g_ptr_array_find_with_equal_func (signs, joined, g_str_equal, NULL))
          g_ptr_array_add (signs, g_steal_pointer (&joined));
      }
  if (signs->len == 0 || signs->len > MAX_SIGNS)
    return NULL;
  g_ptr_array_add (signs, NULL);
  g_autofree char *list = g_strjoinv (" ", (char **)signs->pdata);
  return tall_arena_strdup (self->arena, list);
}

static const char *const separators[] = { NULL, ".", ",", " ", "'", "’" };

#define N_NEGATIVES 3 /* #TallNegative */

/* The simplest way to write numbers that fits most values. */
static void
guess_numbers (TallSniff *self)
{
  /* Where a semicolon parts columns, it is because commas stand in numbers. */
  gboolean comma_first = ((TallSample *)self->files->pdata[0])->dialect.delimiter == ';';
  guint best_fits = 0, n = 0, n_best = 0;
  const char *signs = find_signs (self);
  for (guint way = 0; way < 2 * G_N_ELEMENTS (separators) * N_NEGATIVES; way++)
    {
      TallValueFormat format = {
        .decimal_comma = (way % 2 == 1) != comma_first,
        .thousands = separators[way / 2 % G_N_ELEMENTS (separators)],
        .signs = signs,
        .negative = (TallNegative)(way / 2 / G_N_ELEMENTS (separators)),
      };
      guint fits = 0, filled;
      if (g_strcmp0 (format.thousands, format.decimal_comma ? "," : ".") == 0)
        continue;
      n = 0;
      for (TallSniffColumn *column = self->columns; column < self->end; column++)
        if (tall_sniff_get_kind (column) == TALL_MODEL_DECIMAL)
          {
            fits += count_fits (column, TALL_MODEL_DECIMAL, &format, &filled);
            n += filled;
          }
      if (fits > best_fits)
        {
          self->numbers = format;
          n_best = 0;
        }
      n_best += fits >= best_fits && format.decimal_comma != self->numbers.decimal_comma;
      best_fits = MAX (best_fits, fits);
    }
  self->numbers.signs = signs;
  gboolean says = self->numbers.decimal_comma || self->numbers.thousands != NULL;
  if (n > 0)
    self->numbers_reason = tall_arena_printf (
        self->arena, "%u of %u values are numbers of this form.%s", best_fits, n,
        says && n_best > 0 ? " They fit another form as well: look at a large amount." : "");
}

/* The way that most values of a column are written, the likeliest of several. */
static guint
choose_way (const guint fits[N_WAYS])
{
  guint best = 0;
  for (guint way = 1; way < N_WAYS; way++)
    if (fits[way] > fits[best])
      best = way;
  return best;
}

/* Each column has a form of its own, if that of all does not fit it as well. */
static void
guess_dates (TallSniff *self)
{
  guint all[N_WAYS] = { 0 }, n = 0, n_columns = 0, own = 0;
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    {
      if (tall_sniff_get_kind (column) != TALL_MODEL_DATE)
        continue;
      for (guint way = 0; way < N_WAYS; way++)
        {
          TallValueFormat format = make_date_format (way);
          column->fits[way] = count_fits (column, TALL_MODEL_DATE, &format, &column->n_filled);
          all[way] += column->fits[way];
        }
      guint way = choose_way (column->fits);
      column->dates = &date_ways[way];
      self->is_whole &= column->fits[way] > 0 || column->n_filled == 0;
      own += column->fits[way];
      n += column->n_filled;
      n_columns++;
    }
  guint way = choose_way (all);
  self->dates = &date_ways[way];
  self->is_sql |= own > all[way];
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    if (column->dates != NULL && column->fits[way] == column->fits[column->dates - date_ways])
      column->dates = self->dates;
  gboolean is_open = self->dates->kind == TALL_DATES_DMY && all[way + 1] == all[way];
  if (n_columns > 0)
    self->dates_reason = tall_arena_printf (
        self->arena, "%u of %u values are dates of this form.%s", all[way], n,
        is_open ? " All fit mdy as well: look whether the day goes before the month." : "");
}

/* Whether all values are whole numbers with `.0` behind them. */
static gboolean
are_floats (const TallSniffColumn *column)
{
  guint n = 0;
  for (guint row = 0; row < column->file->rows->len; row++)
    {
      const char *text = get_text (column, row);
      gsize digits = strspn (text, "0123456789");
      if (*text != '\0' && (digits == 0 || !g_str_equal (text + digits, ".0")))
        return FALSE;
      n += *text != '\0';
    }
  return n > 0;
}

/* What money of the order is, and what a .map cannot say. */
static void
guess_needs (TallSniff *self)
{
  TallValueFormat percent = self->numbers;
  guint taken = 0;
  percent.discount_percent = TRUE;
  gboolean has_orders = tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number") != NULL;
  self->is_sql |= self->fills || self->files->len > 1;
  for (TallSniffColumn *column = self->columns; column < self->end; column++)
    {
      const char *name = tall_sniff_normalize (self, column->name);
      gboolean is_money = self->kind == TALL_MAPPING_ORDERS && column->rows != TALL_SNIFF_DIFFERS;
      for (guint i = 0; i < G_N_ELEMENTS (money) && is_money && column->field == NULL; i++)
        if ((taken >> i & 1) == 0 && tall_sniff_find_word (money[i][1], name) >= 0
            && !one_misfits (column, TALL_MODEL_DECIMAL, &self->numbers))
          {
            take (column, tall_csv_field_find (TALL_SCOPE_ORDER, money[i][0]),
                  "By its name, money that the total of the lines lacks; look at some orders.");
            column->key = money[i][0];
            taken |= 1u << i;
          }
      TallModelKind kind = tall_sniff_get_kind (column);
      if (column->field == NULL)
        continue;
      gboolean of_order = has_orders && column->field->scope == TALL_SCOPE_ORDER;
      gboolean of_place = has_orders && column->field->scope == TALL_SCOPE_LOCATION;
      column->is_float = kind == TALL_MODEL_NUMBER && are_floats (column);
      column->is_amount =
          kind == TALL_MODEL_RATE
          && (tall_sniff_find_word (AMOUNTS, name) >= 0 || one_misfits (column, kind, &percent));
      self->is_percent |= kind == TALL_MODEL_RATE && one_misfits (column, kind, &self->numbers);
      self->is_sql |=
          column->is_total || column->is_float || column->is_amount
          || ((of_order || of_place) && column->rows == TALL_SNIFF_FIRST_ONLY)
          || (of_order && kind == TALL_MODEL_DATE && column->rows == TALL_SNIFF_DIFFERS);
    }
}

/* What a column that joins a file says, the column that names it says, too. */
static void
list_columns (TallSniff *self)
{
  guint n = 0;
  gboolean is_one = self->files->len == 1;
  for (guint i = 0; i < self->files->len; i++)
    n += ((TallSample *)self->files->pdata[i])->n_columns;
  self->columns = self->end = tall_arena_newa0 (self->arena, TallSniffColumn, n);
  for (guint i = 0; i < self->files->len; i++)
    {
      const TallSample *file = self->files->pdata[i];
      for (guint k = 0; k < file->n_columns && (is_one || file->key >= 0); k++)
        if (i == 0 || (gint)k != file->key)
          *self->end++ = (TallSniffColumn){
            .file = file,
            .i = k,
            .name = is_one ? file->columns[k] : tall_sniff_get_telling_name (self, file, k),
          };
    }
}

/* Customers, if a column is called as their number is, all its values differ, and none is called as
 * the number of an order. */
static TallMappingKind
guess_kind (TallSniff *self)
{
  guint n_runs;
  const TallCsvField *order = tall_csv_field_find (TALL_SCOPE_ORDER, "order_number");
  const TallSniffColumn *customer =
      find_by_name (self, tall_csv_field_find (TALL_SCOPE_CUSTOMER, "number"), FALSE);
  return find_by_name (self, order, FALSE) == NULL && customer != NULL && self->files->len == 1
                 && count_values (customer, &n_runs) == customer->file->rows->len
             ? TALL_MAPPING_CUSTOMERS
             : TALL_MAPPING_ORDERS;
}

/**
 * tall_sniff_find_preset:
 * @path: a file; perhaps a pipe, which is not read
 * @columns: (nullable): those that were read from it
 *
 * Returns: (nullable): the preset that its columns fit; NULL if none does
 */
const char *
tall_sniff_find_preset (const char *path, const char *const *columns)
{
  gboolean is_regular = g_file_test (path, G_FILE_TEST_IS_REGULAR);
  const char *const *presets = tall_mapping_presets ();
  for (guint i = 0; presets[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallMapping) preset = tall_mapping_load (presets[i], &error);
      if (preset == NULL)
        g_error ("preset %s: %s", presets[i], error->message);
      g_autoptr (TallCsvReader) reader =
          is_regular ? tall_csv_reader_open (path, &preset->dialect, TALL_CSV_MAX_ROW, NULL) : NULL;
      const char *const *own = reader != NULL ? tall_csv_reader_get_columns (reader) : columns;
      if (own != NULL
          && (preset->sql != NULL ? tall_sql_fits (preset, own)
                                  : tall_mapping_bind (preset, own, NULL)))
        return presets[i];
    }
  return NULL;
}

/**
 * tall_sniff:
 * @paths: files that can be read several times
 * @names: (inout): what the mapping is to call the files, or NULL; then what it calls those that it
 *   joins, and NULL for the others
 * @n: how many files there are
 * @is_whole: (out) nothing is left to be filled in before files can be loaded with it
 *
 * Guesses a mapping from the first rows of files. Those with different columns are joined.
 *
 * Returns: (transfer full): a mapping, or a query where that cannot say it, with the reason for
 *   each guess as a comment; NULL if a file cannot be read, or with %TALL_ERROR_INVALID if they
 *   cannot be joined
 */
char *
tall_sniff (
    const char *const *paths, const char **names, guint n, gboolean *is_whole, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  TallSniff self = { .arena = arena, .files = files, .is_whole = TRUE };
  if (!tall_sniff_read_files (&self, paths, names, n, error))
    return NULL;
  self.preset = files->len == 1 ? tall_sniff_find_preset (paths[0], NULL) : NULL;
  g_autofree char *text = self.preset != NULL ? tall_mapping_preset_text (self.preset) : NULL;
  *is_whole = TRUE;
  if (text != NULL && g_str_has_prefix (text, "--"))
    return g_strdup_printf ("-- The columns are those of the preset %s: --map %s\n%s", self.preset,
                            self.preset, text);
  list_columns (&self);
  self.kind = guess_kind (&self);
  guess_fields (&self);
  guess_numbers (&self);
  guess_dates (&self);
  guess_needs (&self);
  char *written = tall_sniff_write (&self);
  *is_whole = self.is_whole;
  return written;
}
