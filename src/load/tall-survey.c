/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-survey.h"
#include "tall-digest-set.h"
#include "tall-order-cursor.h"

#define TICK_ROWS 4096

/* The customer of an order number is not known: no number has a control character. */
#define UNKNOWN_CUSTOMER "\001"

/* The orders that begin in a file, one after another, as far as a sum can tell. */
typedef struct
{
  guint64 n;
  guint64 sum;
} Sequence;

struct _TallSurvey
{
  TallOrderCursor cursor;
  TallDigestSet *seen; /* orders that began; NULL after the first pass */
  GHashTable *trouble; /* of TallTrouble, by their digests */
  guint64 n_apart;     /* orders that begin more than once */
  Sequence surveyed;   /* in the first pass … */
  Sequence met;        /* … and in the second */
};

static guint
hash_trouble (gconstpointer trouble)
{
  guint hash;
  memcpy (&hash, ((const TallTrouble *)trouble)->digest, sizeof hash);
  return hash;
}

static gboolean
equal_trouble (gconstpointer a, gconstpointer b)
{
  return memcmp (((const TallTrouble *)a)->digest, ((const TallTrouble *)b)->digest, TALL_MD5_SIZE)
         == 0;
}

static void
compute_digest (const char *customer, const char *order, guint8 digest[TALL_MD5_SIZE])
{
  guint8 bytes[2 * TALL_MAX_NUMBER_BYTES + 1];
  gsize customer_len = strlen (customer), order_len = strlen (order);
  memcpy (bytes, customer, customer_len);
  bytes[customer_len] = 0;
  memcpy (bytes + customer_len + 1, order, order_len);
  tall_md5 (tall_slice (bytes, customer_len + 1 + order_len), digest);
}

static void
advance (Sequence *self, const guint8 digest[TALL_MD5_SIZE])
{
  guint64 part;
  memcpy (&part, digest, sizeof part);
  self->n++;
  self->sum = self->sum * 31 + part;
}

static TallTrouble *
find_trouble (const TallSurvey *self, const guint8 digest[TALL_MD5_SIZE])
{
  TallTrouble key = { 0 };
  memcpy (key.digest, digest, TALL_MD5_SIZE);
  return g_hash_table_lookup (self->trouble, &key);
}

static TallTrouble *
add_trouble (TallSurvey *self, const guint8 digest[TALL_MD5_SIZE])
{
  TallTrouble *trouble = find_trouble (self, digest);
  if (trouble == NULL)
    {
      trouble = g_new0 (TallTrouble, 1);
      memcpy (trouble->digest, digest, TALL_MD5_SIZE);
      g_hash_table_add (self->trouble, trouble);
    }
  return trouble;
}

/* A row that cannot be read is perhaps one of this order. */
static void
spoil (TallSurvey *self, const char *customer, const char *order, guint64 line)
{
  guint8 digest[TALL_MD5_SIZE];
  compute_digest (customer != NULL ? customer : UNKNOWN_CUSTOMER, order, digest);
  TallTrouble *trouble = add_trouble (self, digest);
  if (trouble->spoiled == 0)
    trouble->spoiled = line;
}

static void
note_order (TallSurvey *self, guint64 line)
{
  const TallOrderCursor *cursor = &self->cursor;
  guint8 digest[TALL_MD5_SIZE];
  compute_digest (cursor->knows_customer ? cursor->customer_number : UNKNOWN_CUSTOMER,
                  cursor->order_number, digest);
  advance (&self->surveyed, digest);
  if (!cursor->knows_customer || tall_digest_set_add (self->seen, digest))
    return;
  TallTrouble *trouble = add_trouble (self, digest);
  if (trouble->again != 0)
    return;
  trouble->again = line;
  self->n_apart++;
}

static void
push_row (TallSurvey *self, const TallCsvRow *row)
{
  const TallOrderCursor *cursor = &self->cursor;
  TallOrderPlace place = tall_order_cursor_step (&self->cursor, row);
  if (place == TALL_PLACE_NEW)
    note_order (self, row->line);
  if (cursor->row_order != NULL && (place == TALL_PLACE_STRAY || cursor->row_customer == NULL))
    spoil (self, cursor->row_customer, cursor->row_order, row->line);
}

/**
 * tall_survey_make:
 * @reader: before its first row, where it is again afterwards
 * @mapping: of orders, bound to the columns of @reader; stays the caller's
 * @folder: where the copy of what cannot be read twice goes
 * @tick: (nullable): called with @data
 *
 * Reads a file for the first time. A row that has an order number and no valid customer number may
 * belong to any order of that number.
 *
 * Returns: (transfer full): NULL if the file cannot be read twice, as tall_csv_reader_keep(),
 *   tall_csv_reader_next() and tall_csv_reader_rewind() say
 */
TallSurvey *
tall_survey_make (TallCsvReader *reader,
                  const TallMapping *mapping,
                  const char *folder,
                  TallSurveyTick tick,
                  gpointer data,
                  GError **error)
{
  g_autoptr (TallSurvey) self = g_new0 (TallSurvey, 1);
  tall_order_cursor_init (&self->cursor, mapping);
  self->seen = tall_digest_set_new ();
  self->trouble = g_hash_table_new_full (hash_trouble, equal_trouble, g_free, NULL);
  if (!tall_csv_reader_keep (reader, folder, error))
    return NULL;

  TallCsvRow row;
  TallCsvStep step;
  for (guint64 n = 1; (step = tall_csv_reader_next (reader, &row, error)) == TALL_CSV_ROW; n++)
    {
      push_row (self, &row);
      if (tick != NULL && n % TICK_ROWS == 0)
        tick (data);
    }
  if (step == TALL_CSV_FAILED || !tall_csv_reader_rewind (reader, error))
    return NULL;
  g_clear_pointer (&self->seen, tall_digest_set_free);
  return g_steal_pointer (&self);
}

void
tall_survey_free (TallSurvey *self)
{
  if (self == NULL)
    return;
  tall_digest_set_free (self->seen);
  g_hash_table_unref (self->trouble);
  g_free (self);
}

/**
 * tall_survey_begin_order:
 * @customer: (nullable): NULL if it is not known
 * @line: where the order begins now, in the second pass
 * @trouble: (out caller-allocates): what speaks against storing it; all 0: nothing
 *
 * To be called for each order that begins, in the order of the file.
 */
void
tall_survey_begin_order (
    TallSurvey *self, const char *customer, const char *order, guint64 line, TallTrouble *trouble)
{
  *trouble = (TallTrouble){ 0 };
  compute_digest (customer != NULL ? customer : UNKNOWN_CUSTOMER, order, trouble->digest);
  advance (&self->met, trouble->digest);
  TallTrouble *found = find_trouble (self, trouble->digest);
  if (found != NULL)
    {
      if (found->first == 0)
        found->first = line;
      *trouble = *found;
    }
  if (customer == NULL || trouble->again != 0 || trouble->spoiled != 0
      || g_hash_table_size (self->trouble) == 0)
    return;
  guint8 digest[TALL_MD5_SIZE];
  compute_digest (UNKNOWN_CUSTOMER, order, digest);
  found = find_trouble (self, digest);
  if (found != NULL)
    trouble->spoiled = found->spoiled;
}

/* TRUE if the second pass has met the orders of the first in the same sequence. */
gboolean
tall_survey_agrees (const TallSurvey *self)
{
  return self->met.n == self->surveyed.n && self->met.sum == self->surveyed.sum;
}

/* How many orders have rows that do not follow each other. */
guint64
tall_survey_count_apart (const TallSurvey *self)
{
  return self->n_apart;
}
