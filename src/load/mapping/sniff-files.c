/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-private.h"

#include "tall-error.h"

#include <string.h>

#define NONE TALL_SNIFF_NONE

/* What columns are usually called, in English, German and French, the surest first; without capital
 * letters and anything between letters. An address may also have a word before it, see below. */
static const struct
{
  const char *scopes; /* of `olic`, the first letters of their names, c for customers */
  const char *field;
  const char *names;
} known[] = {
  { "o", "order_number",
    "orderid ordernumber orderno ordernr order orderref invoiceno invoicenumber invoiceid invoice "
    "bestellnummer bestellnr bestellung auftragsnummer auftragsnr auftrag rechnungsnummer "
    "rechnungsnr rechnung numerodecommande commande" },
  { "o", "customer_number",
    "customerid customernumber customerno customernr customer custid clientid accountnumber "
    "kundennummer kundennr kundenid kunde numeroclient client userid buyerid" },
  { "o", "sales_date",
    "orderdate salesdate saledate invoicedate orderpurchasetimestamp purchasedate bestelldatum "
    "auftragsdatum rechnungsdatum datum datedecommande orderedat createdat date timestamp" },
  { "o", "currency", "currency currencycode waehrung währung devise" },
  { "l", "number", "locationnumber locationno shippinglocation" },
  { "l", "name",
    "shipname shipto shiptoname shippingname recipient lieferscheinname empfaenger empfänger" },
  { "lc", "address.line1", "address address1 street strasse straße lieferstrasse adresse" },
  { "lc", "address.line2", "address2 adresszusatz" },
  { "lc", "address.city", "city town ort stadt ville" },
  { "lc", "address.state", "state region bundesland province" },
  { "lc", "address.zip", "postalcode zip zipcode postcode plz postleitzahl codepostal" },
  { "lc", "address.country", "country land pays" },
  { "l", "ship_date", "shippeddate shipdate shippingdate shippedat versanddatum lieferdatum" },
  { "i", "number", "lineno linenumber lineitemnumber orderitemid positionsnummer position pos" },
  { "i", "item_number",
    "itemnumber itemno itemid stockcode sku productid productcode productno articleno "
    "articlenumber artikelnummer artikelnr reference item product artikel lineitemsku" },
  { "i", "description",
    "description itemdescription productname itemname bezeichnung artikelbezeichnung "
    "beschreibung designation lineitemname" },
  { "i", "quantity", "quantity qty menge anzahl stueck stück quantite lineitemquantity" },
  { "i", "price", "unitprice price itemprice einzelpreis stueckpreis preis prix lineitemprice" },
  { "i", "discount", "discount rabatt remise lineitemdiscount discountamount rabattbetrag" },
  { "c", "number",
    "customerid customernumber customerno customernr custid clientid accountnumber kundennummer "
    "kundennr kundenid numeroclient customer number id" },
  { "c", "name", "companyname customername company firma firmenname nom name" },
  { "c", "phones", "phone phones telephone phonenumber telefon tel" },
  { "c", "email", "email emailaddress mail" },
};

static const char *const address_prefixes[] = { "ship", "shipping", "shipto" };

/* Returns: (transfer full): small letters and digits of a column's name only */
char *
tall_sniff_normalize (const char *column)
{
  g_autofree char *lower = g_utf8_strdown (column, -1);
  g_autoptr (GString) name = g_string_new (NULL);
  for (const char *at = lower; *at != '\0'; at = g_utf8_next_char (at))
    if (g_unichar_isalnum (g_utf8_get_char (at)))
      g_string_append_unichar (name, g_utf8_get_char (at));
  return g_string_free (g_steal_pointer (&name), FALSE);
}

static gboolean
is_among (const char *names, const char *name, guint *rank)
{
  g_auto (GStrv) list = g_strsplit (names, " ", -1);
  for (*rank = 0; list[*rank] != NULL; (*rank)++)
    if (g_str_equal (list[*rank], name))
      return TRUE;
  return FALSE;
}

/* Columns that hold what all pieces of a line cost, and discounts that are amounts. */
gboolean
tall_sniff_names_total (const char *column)
{
  guint rank;
  g_autofree char *name = tall_sniff_normalize (column);
  return is_among ("linetotal itemtotal extendedprice lineamount sales gesamtpreis betrag", name,
                   &rank);
}

gboolean
tall_sniff_names_amount (const char *column)
{
  guint rank;
  g_autofree char *name = tall_sniff_normalize (column);
  return is_among ("lineitemdiscount discountamount rabattbetrag", name, &rank);
}

/**
 * tall_sniff_names:
 * @rank: (out): 0 for the surest name
 *
 * Returns: whether a column of that name usually holds that field
 */
gboolean
tall_sniff_names (const TallCsvField *field, const char *column, guint *rank)
{
  static const char letters[TALL_N_SCOPES] = "olic";
  g_autofree char *name = tall_sniff_normalize (column);
  guint i = 0;
  while (i < G_N_ELEMENTS (known)
         && (strchr (known[i].scopes, letters[field->scope]) == NULL
             || !g_str_equal (known[i].field, field->name)))
    i++;
  if (i == G_N_ELEMENTS (known))
    return FALSE;
  gboolean may_have_prefix = field->scope == TALL_SCOPE_LOCATION && field->address != NULL;
  for (guint k = 0; may_have_prefix && k < G_N_ELEMENTS (address_prefixes); k++)
    if (g_str_has_prefix (name, address_prefixes[k])
        && is_among (known[i].names, name + strlen (address_prefixes[k]), rank))
      return TRUE;
  gboolean found = is_among (known[i].names, name, rank);
  *rank += may_have_prefix ? 100 : 0; /* less sure than one with it */
  return found;
}

/* What a file is called in a query: `orders` for `/data/orders.csv.gz`. */
static char *
make_name (const GPtrArray *files, const char *path, const char *given)
{
  if (given != NULL)
    return g_strdup (given);
  g_autofree char *base = g_path_get_basename (path);
  *strchrnul (base, '.') = '\0';
  g_strcanon (base, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_", '_');
  gboolean is_taken = *base == '\0';
  for (guint i = 0; i < files->len; i++)
    is_taken |= g_str_equal (tall_sniff_files_get (files, i)->name, base);
  return is_taken ? g_strdup_printf ("%s_%u", base, files->len + 1) : g_steal_pointer (&base);
}

/* Files with the same columns are of one kind, of which one is enough. */
static const TallSample *
find_columns (const GPtrArray *files, const TallSample *sample)
{
  for (guint i = 0; i < files->len; i++)
    if (g_strv_equal ((const char *const *)tall_sniff_files_get (files, i)->columns,
                      (const char *const *)sample->columns))
      return tall_sniff_files_get (files, i);
  return NULL;
}

/**
 * tall_sniff_files_read:
 * @paths: @n of them, which can be read several times
 * @names: (inout): of those that have one, the others NULL; then of all
 *
 * Returns: (transfer full) (element-type TallSample): the files, those with the same columns only
 *   once; NULL if one cannot be read
 */
GPtrArray *
tall_sniff_files_read (const char *const *paths, const char **names, guint n, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_sample_free);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = make_name (files, paths[i], names[i]);
      g_autoptr (TallSample) sample = tall_sample_read (paths[i], name, error);
      if (sample == NULL)
        return NULL;
      const TallSample *like = find_columns (files, sample);
      names[i] = g_intern_string (like != NULL ? like->name : name);
      if (like != NULL)
        continue;
      g_ptr_array_add (files, g_steal_pointer (&sample));
    }
  return g_steal_pointer (&files);
}

/* `customer` for the file `customers`. */
static char *
make_singular (const TallSample *file)
{
  char *name = tall_sniff_normalize (file->name);
  gsize len = strlen (name);
  if (len > 3 && g_str_has_suffix (name, "ies"))
    memcpy (name + len - 3, "y", 2);
  else if (len > 1 && name[len - 1] == 's')
    name[len - 1] = '\0';
  return name;
}

/* What a column is called outside of its file, such as `customerid` for `id` of customers. */
static char *
get_full_name (const TallSample *file, guint column)
{
  guint rank;
  g_autofree char *name = tall_sniff_normalize (file->columns[column]);
  if (!is_among ("id number no nr key code", name, &rank))
    return g_steal_pointer (&name);
  g_autofree char *singular = make_singular (file);
  return g_strconcat (singular, name, NULL);
}

static gboolean
is_called (TallCsvScope scope, const char *field, const char *name)
{
  guint rank;
  return tall_sniff_names (tall_csv_field_find (scope, field), name, &rank);
}

/* Whether any field of orders is usually called like this. */
static gboolean
is_known (const char *name)
{
  guint n, rank;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if (fields[i].scope != TALL_SCOPE_CUSTOMER && tall_sniff_names (&fields[i], name, &rank))
      return TRUE;
  return FALSE;
}

/**
 * tall_sniff_get_telling_name:
 *
 * Returns: (transfer full): the name by which the field of one of several files may be guessed,
 *   such as `city` for `customer_city` of customers
 */
char *
tall_sniff_get_telling_name (const TallSample *file, guint column)
{
  g_autofree char *singular = make_singular (file);
  g_autofree char *full = get_full_name (file, column);
  const char *rest = full + strlen (singular);
  if (!is_known (full) && g_str_has_prefix (full, singular) && is_known (rest))
    return g_strdup (rest);
  return g_steal_pointer (&full);
}

/* Whether each row has another value, and none has none. */
static gboolean
is_unique (const TallSample *file, guint column)
{
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < file->rows->len; i++)
    {
      const char *text = tall_sample_get (file, i, column);
      if (*text == '\0' || !g_hash_table_add (values, (gpointer)text))
        return FALSE;
    }
  return TRUE;
}

/* The column of a file that is called like one of another file. */
static gint
find_column (const TallSample *file, const char *full_name)
{
  for (guint i = 0; i < file->n_columns; i++)
    {
      g_autofree char *name = get_full_name (file, i);
      if (g_str_equal (name, full_name))
        return (gint)i;
    }
  return NONE;
}

/* How much a file looks like one of lines: numbers of orders come again in it, and it has columns
 * of lines. 0: it has no numbers of orders. */
static gint
rate_lines (TallSample *file)
{
  static const char *const fields[] = { "number", "item_number", "quantity", "price", "discount" };
  gint n = 0;
  for (guint i = 0; i < file->n_columns; i++)
    {
      g_autofree char *name = get_full_name (file, i);
      if (file->key == NONE && is_called (TALL_SCOPE_ORDER, "order_number", name))
        file->key = (gint)i;
      for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
        n += is_called (TALL_SCOPE_LINE, fields[k], file->columns[i]);
    }
  if (file->key == NONE)
    return 0;
  return 1 + MIN (n, 9) + (is_unique (file, (guint)file->key) ? 0 : 10);
}

/* The file whose rows are those of the query: the lines, or, if there are none, the orders. */
static TallSample *
find_lines (const GPtrArray *files)
{
  TallSample *found = NULL;
  gint best = 0;
  for (guint i = 0; i < files->len; i++)
    {
      TallSample *file = tall_sniff_files_get (files, i);
      gint score = rate_lines (file);
      if (score > best)
        found = file;
      best = MAX (best, score);
    }
  for (guint i = 0; i < files->len; i++)
    if (files->pdata[i] != found)
      tall_sniff_files_get (files, i)->key = NONE;
  return found;
}

/* The column of @to that names the rows of @file, by the name of its key. */
static gboolean
join_with (TallSample *file, const TallSample *to, guint position)
{
  for (guint i = 0; i < file->n_columns; i++)
    {
      g_autofree char *name = get_full_name (file, i);
      gint column = find_column (to, name);
      if (column == NONE || !is_unique (file, i))
        continue;
      file->key = (gint)i;
      file->from = (gint)position;
      file->from_column = (guint)column;
      file->is_of_order = to->is_of_order || (position == 0 && column == to->key);
      return TRUE;
    }
  return FALSE;
}

static void
move_to (GPtrArray *files, gpointer file, guint position)
{
  guint i;
  if (!g_ptr_array_find (files, file, &i))
    return;
  files->pdata[i] = files->pdata[position];
  files->pdata[position] = file;
}

/* Puts a file that can be joined with one of the first @n behind them. */
static gboolean
place_next (GPtrArray *files, guint n)
{
  for (guint i = n; i < files->len; i++)
    for (guint k = 0; k < n; k++)
      if (join_with (files->pdata[i], files->pdata[k], k))
        {
          move_to (files, files->pdata[i], n);
          return TRUE;
        }
  return FALSE;
}

/**
 * tall_sniff_files_join:
 * @files: (inout) (element-type TallSample): are put in the order of the query; those that nothing
 *   joins come last, without a key
 *
 * Finds out by the names of columns how the files are joined.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if no file has numbers of orders
 */
gboolean
tall_sniff_files_join (GPtrArray *files, GError **error)
{
  TallSample *lines = find_lines (files);
  if (lines == NULL)
    {
      tall_error_set_invalid (error, "files",
                              "none has a column that is called like the numbers of orders: write "
                              "a mapping by hand");
      return FALSE;
    }
  move_to (files, lines, 0);
  for (guint n = 1; n < files->len && place_next (files, n); n++)
    ;
  return TRUE;
}
