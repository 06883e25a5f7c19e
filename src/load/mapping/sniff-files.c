/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-files.h"

#include "load/csv/field.h"
#include "tall-error.h"

#include <string.h>

/* What columns are usually called, in English, German and French, the surest first; without capital
 * letters and anything between letters. */
static const struct
{
  TallCsvScope scope;
  const char *field;
  const char *names;
} known[] = {
  { TALL_SCOPE_ORDER, "order_number",
    "orderid ordernumber orderno ordernr order orderref invoiceno invoicenumber invoiceid invoice "
    "bestellnummer bestellnr bestellung auftragsnummer auftragsnr auftrag rechnungsnummer "
    "rechnungsnr rechnung numerodecommande commande" },
  { TALL_SCOPE_ORDER, "customer_number",
    "customerid customernumber customerno customernr customer custid clientid accountnumber "
    "kundennummer kundennr kundenid kunde numeroclient client userid buyerid" },
  { TALL_SCOPE_ORDER, "sales_date",
    "orderdate salesdate saledate invoicedate orderpurchasetimestamp purchasedate bestelldatum "
    "auftragsdatum rechnungsdatum datum datedecommande orderedat createdat date timestamp" },
  { TALL_SCOPE_ORDER, "currency", "currency currencycode waehrung währung devise" },
  { TALL_SCOPE_LOCATION, "number", "locationnumber locationno shippinglocation" },
  { TALL_SCOPE_LOCATION, "name",
    "shipname shipto shiptoname shippingname recipient lieferscheinname empfaenger empfänger" },
  { TALL_SCOPE_LOCATION, "address.line1",
    "shipaddress shipaddress1 shipstreet shippingaddress shiptoaddress address address1 street "
    "strasse straße lieferstrasse adresse" },
  { TALL_SCOPE_LOCATION, "address.line2", "shipaddress2 address2 adresszusatz" },
  { TALL_SCOPE_LOCATION, "address.city",
    "shipcity shippingcity shiptocity city town ort stadt ville" },
  { TALL_SCOPE_LOCATION, "address.state",
    "shipregion shipstate shippingstate state region bundesland province" },
  { TALL_SCOPE_LOCATION, "address.zip",
    "shippostalcode shipzip shippingzip postalcode zip zipcode postcode plz postleitzahl "
    "codepostal" },
  { TALL_SCOPE_LOCATION, "address.country",
    "shipcountry shippingcountry shiptocountry country land pays" },
  { TALL_SCOPE_LOCATION, "ship_date",
    "shippeddate shipdate shippingdate shippedat versanddatum lieferdatum" },
  { TALL_SCOPE_LINE, "number",
    "lineno linenumber lineitemnumber orderitemid positionsnummer position pos" },
  { TALL_SCOPE_LINE, "item_number",
    "itemnumber itemno itemid stockcode sku productid productcode productno articleno "
    "articlenumber artikelnummer artikelnr reference item product artikel" },
  { TALL_SCOPE_LINE, "description",
    "description itemdescription productname itemname bezeichnung artikelbezeichnung "
    "beschreibung designation" },
  { TALL_SCOPE_LINE, "quantity", "quantity qty menge anzahl stueck stück quantite" },
  { TALL_SCOPE_LINE, "price", "unitprice price itemprice einzelpreis stueckpreis preis prix" },
  { TALL_SCOPE_LINE, "discount", "discount rabatt remise" },
  { TALL_SCOPE_CUSTOMER, "number",
    "customerid customernumber customerno customernr custid clientid accountnumber kundennummer "
    "kundennr kundenid numeroclient customer number id" },
  { TALL_SCOPE_CUSTOMER, "name", "companyname customername company firma firmenname nom name" },
  { TALL_SCOPE_CUSTOMER, "address.line1", "address address1 street strasse straße adresse" },
  { TALL_SCOPE_CUSTOMER, "address.line2", "address2 adresszusatz" },
  { TALL_SCOPE_CUSTOMER, "address.city", "city town ort stadt ville" },
  { TALL_SCOPE_CUSTOMER, "address.state", "state region bundesland province" },
  { TALL_SCOPE_CUSTOMER, "address.zip",
    "postalcode zip zipcode postcode plz postleitzahl codepostal" },
  { TALL_SCOPE_CUSTOMER, "address.country", "country land pays" },
  { TALL_SCOPE_CUSTOMER, "phones", "phone phones telephone phonenumber telefon tel" },
  { TALL_SCOPE_CUSTOMER, "email", "email emailaddress mail" },
};

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

/**
 * tall_sniff_names:
 * @rank: (out): 0 for the surest name
 *
 * Returns: whether a column of that name usually holds that field
 */
gboolean
tall_sniff_names (const TallCsvField *field, const char *column, guint *rank)
{
  g_autofree char *name = tall_sniff_normalize (column);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      if (known[i].scope != field->scope || !g_str_equal (known[i].field, field->name))
        continue;
      g_auto (GStrv) names = g_strsplit (known[i].names, " ", -1);
      for (*rank = 0; names[*rank] != NULL; (*rank)++)
        if (g_str_equal (names[*rank], name))
          return TRUE;
    }
  return FALSE;
}

#define NONE (-1)

static void
file_free (gpointer data)
{
  TallSniffFile *self = data;
  g_free (self->path);
  g_free (self->name);
  g_clear_pointer (&self->sample, tall_sample_free);
  g_free (self);
}

/* What a file is called in the mapping: `orders` for `/data/orders.csv.gz`. */
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
static gboolean
has_columns (const GPtrArray *files, const TallSample *sample)
{
  for (guint i = 0; i < files->len; i++)
    if (g_strv_equal ((const char *const *)tall_sniff_files_get (files, i)->sample->columns,
                      (const char *const *)sample->columns))
      return TRUE;
  return FALSE;
}

static gboolean
is_ascii (const TallSample *sample)
{
  for (guint i = 0; i < sample->rows->len; i++)
    for (guint k = 0; k < sample->n_columns; k++)
      if (!g_str_is_ascii (tall_sample_get (sample, i, k)))
        return FALSE;
  return TRUE;
}

/* A mapping has one delimiter and one encoding. What is ASCII is of any encoding. */
static gboolean
check_dialect (const TallSniffFile *a, const TallSniffFile *b, GError **error)
{
  const char *what = NULL;
  if (a->sample->delimiter != b->sample->delimiter)
    what = "delimiters";
  else if (g_strcmp0 (a->sample->encoding, b->sample->encoding) != 0 && !is_ascii (a->sample)
           && !is_ascii (b->sample))
    what = "encodings";
  if (what != NULL)
    tall_error_set_invalid (error, "files",
                            "%s and %s have different %s: convert one, as a mapping has one for "
                            "all its files",
                            a->path, b->path, what);
  return what == NULL;
}

/**
 * tall_sniff_files_read:
 * @paths: @n of them, which can be read several times
 * @names: of those that have one; the others NULL
 *
 * Returns: (transfer full) (element-type TallSniffFile): the files, those with the same columns
 *   only once; NULL if one cannot be read, or with %TALL_ERROR_INVALID if one mapping cannot be of
 *   all
 */
GPtrArray *
tall_sniff_files_read (const char *const *paths, const char *const *names, guint n, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (file_free);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallSample) sample = tall_sample_read (paths[i], error);
      if (sample == NULL)
        return NULL;
      if (has_columns (files, sample))
        continue;
      TallSniffFile *file = g_new0 (TallSniffFile, 1);
      file->path = g_strdup (paths[i]);
      file->name = make_name (files, paths[i], names[i]);
      file->sample = g_steal_pointer (&sample);
      file->key = file->from = NONE;
      g_ptr_array_add (files, file);
      if (!check_dialect (tall_sniff_files_get (files, 0), file, error))
        return NULL;
    }
  return g_steal_pointer (&files);
}

/* `customer` for the file `customers`. */
static char *
make_singular (const TallSniffFile *file)
{
  char *name = tall_sniff_normalize (file->name);
  gsize len = strlen (name);
  if (len > 3 && g_str_has_suffix (name, "ies"))
    memcpy (name + len - 3, "y", 2);
  else if (len > 1 && name[len - 1] == 's')
    name[len - 1] = '\0';
  return name;
}

/**
 * tall_sniff_file_get_full_name:
 *
 * Returns: (transfer full): what a column is called outside of its file, such as `customerid` for
 *   `id` of customers
 */
char *
tall_sniff_file_get_full_name (const TallSniffFile *file, guint column)
{
  static const char *const bare[] = { "id", "number", "no", "nr", "key", "code", NULL };
  g_autofree char *name = tall_sniff_normalize (file->sample->columns[column]);
  if (!g_strv_contains (bare, name))
    return g_steal_pointer (&name);
  g_autofree char *singular = make_singular (file);
  return g_strconcat (singular, name, NULL);
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
 * tall_sniff_file_get_telling_name:
 *
 * Returns: (transfer full): the name by which a column's field may be guessed, such as `city` for
 *   `customer_city` of customers
 */
char *
tall_sniff_file_get_telling_name (const TallSniffFile *file, guint column)
{
  g_autofree char *singular = make_singular (file);
  g_autofree char *full = tall_sniff_file_get_full_name (file, column);
  const char *rest = full + strlen (singular);
  if (!is_known (full) && g_str_has_prefix (full, singular) && is_known (rest))
    return g_strdup (rest);
  g_autofree char *plain = tall_sniff_normalize (file->sample->columns[column]);
  return g_str_equal (plain, full) ? g_strdup (file->sample->columns[column])
                                   : g_steal_pointer (&full);
}

/**
 * tall_sniff_file_index:
 *
 * Returns: (transfer full) (nullable): the rows by their values in a column; NULL if one of these
 * is empty, or there twice
 */
GHashTable *
tall_sniff_file_index (const TallSniffFile *self, guint column)
{
  const TallSample *sample = self->sample;
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < sample->rows->len; i++)
    {
      const char *text = tall_sample_get (sample, i, column);
      if (*text == '\0' || !g_hash_table_insert (values, (gpointer)text, sample->rows->pdata[i]))
        return NULL;
    }
  return g_steal_pointer (&values);
}

static gboolean
is_called (TallCsvScope scope, const char *field, const char *name)
{
  guint rank;
  return tall_sniff_names (tall_csv_field_find (scope, field), name, &rank);
}

/* How two files may be joined. */
typedef struct
{
  guint headers, header_key;
  guint lines, line_key; /* not set if @score is that of headers alone */
  gint score;            /* 0: not at all */
} Pair;

/* How much a file looks like one of lines. */
static gint
count_line_names (const TallSniffFile *file)
{
  static const char *const fields[] = { "number", "item_number", "quantity", "price", "discount" };
  gint n = 0;
  for (guint i = 0; i < file->sample->n_columns; i++)
    for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
      n += is_called (TALL_SCOPE_LINE, fields[k], file->sample->columns[i]);
  return MIN (n, 9);
}

static gboolean
has_customer (const TallSniffFile *file)
{
  for (guint i = 0; i < file->sample->n_columns; i++)
    {
      g_autofree char *name = tall_sniff_file_get_full_name (file, i);
      if (is_called (TALL_SCOPE_ORDER, "customer_number", name))
        return TRUE;
    }
  return FALSE;
}

/* The column of a file that is called like one of another file. */
static gint
find_column (const TallSniffFile *file, const char *full_name)
{
  for (guint i = 0; i < file->sample->n_columns; i++)
    {
      g_autofree char *name = tall_sniff_file_get_full_name (file, i);
      if (g_str_equal (name, full_name))
        return (gint)i;
    }
  return NONE;
}

/* Joins the headers in a file with the lines in another, if that is better than what was found. */
static void
try_lines (const GPtrArray *files, Pair *best, const Pair *given, const char *key)
{
  const TallSniffFile *headers = tall_sniff_files_get (files, given->headers);
  Pair pair = *given;
  for (pair.lines = 0; pair.lines < files->len; pair.lines++)
    {
      const TallSniffFile *lines = tall_sniff_files_get (files, pair.lines);
      gint column = lines != headers ? find_column (lines, key) : NONE;
      if (column == NONE)
        continue;
      g_autoptr (GHashTable) unique = tall_sniff_file_index (lines, (guint)column);
      pair.line_key = (guint)column;
      pair.score = given->score + 20 + (unique == NULL ? 50 : 0) + count_line_names (lines);
      if (pair.score > best->score)
        *best = pair;
    }
}

/* The file in which each order has one row, and the one with its lines. */
static Pair
find_pair (const GPtrArray *files)
{
  Pair best = { .score = 0 };
  for (guint i = 0; i < files->len; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (files, i);
      for (guint k = 0; k < file->sample->n_columns; k++)
        {
          g_autofree char *key = tall_sniff_file_get_full_name (file, k);
          g_autoptr (GHashTable) unique = tall_sniff_file_index (file, k);
          if (unique == NULL || !is_called (TALL_SCOPE_ORDER, "order_number", key))
            continue;
          Pair pair = { i, k, i, k, 1 + (has_customer (file) ? 10 : 0) };
          if (pair.score > best.score)
            best = pair;
          try_lines (files, &best, &pair, key);
        }
    }
  return best;
}

/* The column of @to that names the rows of @file, by the name of its key. */
static gboolean
join_with (TallSniffFile *file, const TallSniffFile *to, gint position)
{
  for (guint i = 0; i < file->sample->n_columns; i++)
    {
      g_autofree char *name = tall_sniff_file_get_full_name (file, i);
      gint column = find_column (to, name);
      g_autoptr (GHashTable) unique = column != NONE ? tall_sniff_file_index (file, i) : NULL;
      if (unique == NULL)
        continue;
      file->key = (gint)i;
      file->from = position;
      file->from_column = (guint)column;
      return TRUE;
    }
  return FALSE;
}

/* Puts a file that can be joined with one of the first @n behind them. */
static gboolean
place_next (GPtrArray *files, guint n)
{
  for (guint i = n; i < files->len; i++)
    for (guint k = 0; k < n; k++)
      if (join_with (tall_sniff_files_get (files, i), tall_sniff_files_get (files, k), (gint)k))
        {
          gpointer file = files->pdata[i];
          files->pdata[i] = files->pdata[n];
          files->pdata[n] = file;
          return TRUE;
        }
  return FALSE;
}

static void
move_to (GPtrArray *files, TallSniffFile *file, guint position)
{
  guint i;
  if (!g_ptr_array_find (files, file, &i))
    return;
  files->pdata[i] = files->pdata[position];
  files->pdata[position] = file;
}

/**
 * tall_sniff_join_find:
 * @files: (inout) (element-type TallSniffFile): are put in the order of the mapping; those that
 *   nothing joins come last, without a key
 *
 * Finds out by the names of columns how the files are joined.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if no file has a row for each order
 */
gboolean
tall_sniff_join_find (GPtrArray *files, GError **error)
{
  Pair pair = find_pair (files);
  if (pair.score == 0)
    {
      tall_error_set_invalid (error, "files",
                              "none has a column that is called like the numbers of orders, and "
                              "differs in all rows: write a mapping by hand");
      return FALSE;
    }
  TallSniffFile *headers = tall_sniff_files_get (files, pair.headers);
  TallSniffFile *lines = tall_sniff_files_get (files, pair.lines);
  headers->key = (gint)pair.header_key;
  lines->key = (gint)pair.line_key;
  move_to (files, headers, 0);
  if (lines != headers)
    move_to (files, lines, 1);
  for (guint n = lines != headers ? 2 : 1; n < files->len && place_next (files, n); n++)
    ;
  return TRUE;
}

/* A column that says what another one says already. */
static gboolean
is_left_out (const TallSniffFile *file, guint i, guint column)
{
  return i > 0 && (gint)column == file->key;
}

static void
add_columns (TallSample *joined, const GPtrArray *files)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < files->len; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (files, i);
      for (guint k = 0; file->key != NONE && k < file->sample->n_columns; k++)
        if (!is_left_out (file, i, k))
          {
            g_ptr_array_add (columns, tall_sniff_file_get_telling_name (file, k));
            g_ptr_array_add (names,
                             g_strdup_printf ("%s:%s", file->name, file->sample->columns[k]));
          }
    }
  joined->n_columns = columns->len;
  g_ptr_array_add (columns, NULL);
  g_ptr_array_add (names, NULL);
  joined->columns = (char **)g_ptr_array_steal (columns, NULL);
  joined->names = (char **)g_ptr_array_steal (names, NULL);
}

/* The row of a file that another row names; NULL: there is none. */
static char **
find_row (GHashTable *index, const char *value)
{
  return index != NULL ? g_hash_table_lookup (index, value) : NULL;
}

/* What is needed to bring the rows of the files together. */
typedef struct
{
  const GPtrArray *files;
  guint n;            /* files that are joined */
  gboolean has_lines; /* the second is one of lines */
  GPtrArray *indexes; /* of GHashTable or NULL: of the rows of each file by its key */
} Joining;

/* The rows that make one together: @rows (out): n of them, NULL where there is none. */
static void
find_rows (const Joining *self, char **first, char **rows[])
{
  guint base = self->has_lines ? 1 : 0;
  for (guint i = 0; i < self->n; i++)
    rows[i] = NULL;
  rows[base] = first;
  for (guint i = 0; i < self->n; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (self->files, i);
      const TallSniffFile *lines = tall_sniff_files_get (self->files, base);
      if (i == base)
        continue;
      if (file->from == NONE)
        rows[i] = find_row (self->indexes->pdata[i], first[lines->key]);
      else if (rows[file->from] != NULL)
        rows[i] = find_row (self->indexes->pdata[i], rows[file->from][file->from_column]);
    }
}

static char **
copy_values (const Joining *self, char **rows[])
{
  GPtrArray *values = g_ptr_array_new ();
  for (guint i = 0; i < self->n; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (self->files, i);
      for (guint k = 0; k < file->sample->n_columns; k++)
        if (!is_left_out (file, i, k))
          g_ptr_array_add (values, g_strdup (rows[i] != NULL ? rows[i][k] : ""));
    }
  g_ptr_array_add (values, NULL);
  return (char **)g_ptr_array_free (values, FALSE);
}

/* Rows of lines whose header is among the first rows, too; all, if there are no such. */
static void
add_rows (TallSample *joined, const Joining *self)
{
  const TallSniffFile *lines = tall_sniff_files_get (self->files, self->has_lines ? 1 : 0);
  g_autofree char ***rows = g_new0 (char **, self->n);
  for (guint all = 0; all < 2 && joined->rows->len == 0; all++)
    for (guint i = 0; i < lines->sample->rows->len; i++)
      {
        find_rows (self, lines->sample->rows->pdata[i], rows);
        if (rows[0] != NULL || all > 0)
          g_ptr_array_add (joined->rows, copy_values (self, rows));
      }
}

static void
index_unref (gpointer data)
{
  if (data != NULL)
    g_hash_table_unref (data);
}

/* The dialect is that of the files, which have one. */
static TallSample *
new_sample (const GPtrArray *files)
{
  TallSample *joined = g_new0 (TallSample, 1);
  const TallSample *like = tall_sniff_files_get (files, 0)->sample;
  for (guint i = 1; i < files->len && like->encoding == NULL; i++)
    like = tall_sniff_files_get (files, i)->sample;
  joined->encoding = like->encoding;
  joined->encoding_reason = g_strdup (like->encoding_reason);
  joined->delimiter = like->delimiter;
  joined->delimiter_reason = g_strdup (like->delimiter_reason);
  joined->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  for (guint i = 0; i < files->len; i++)
    joined->n_bad += tall_sniff_files_get (files, i)->sample->n_bad;
  return joined;
}

/**
 * tall_sniff_join_make_sample:
 * @files: (element-type TallSniffFile): as tall_sniff_join_find() has put them
 *
 * Returns: (transfer full): rows as the load of these files would see them
 */
TallSample *
tall_sniff_join_make_sample (const GPtrArray *files)
{
  g_autoptr (GPtrArray) indexes = g_ptr_array_new_with_free_func (index_unref);
  Joining joining = { .files = files, .indexes = indexes };
  for (; joining.n < files->len; joining.n++)
    {
      const TallSniffFile *file = tall_sniff_files_get (files, joining.n);
      if (file->key == NONE)
        break;
      joining.has_lines |= joining.n == 1 && file->from == NONE;
      g_ptr_array_add (indexes, tall_sniff_file_index (file, (guint)file->key));
    }
  TallSample *joined = new_sample (files);
  add_columns (joined, files);
  add_rows (joined, &joining);
  return joined;
}
