/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/survey.h"

#include "load/orders/assembler.h"

#include <errno.h>
#include <sys/mman.h>

#define WORDS 8    /* of a block, which is a cache line */
#define PROBES 7   /* bits of a digest: 7 × 9 = 63 of 64 */
#define BIT_PART 9 /* bits that choose one of 512 */

struct _TallDigestFilter
{
  guint64 (*blocks)[WORDS];
  gsize n_blocks;
  gsize size; /* bytes */
};

/* @bytes: that it takes at most, from 64: pages that are not used take no memory. */
TallDigestFilter *
tall_digest_filter_new (gsize bytes)
{
  TallDigestFilter *self = g_new0 (TallDigestFilter, 1);
  self->n_blocks = bytes / sizeof *self->blocks;
  self->size = self->n_blocks * sizeof *self->blocks;
  self->blocks =
      mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self->blocks == MAP_FAILED)
    g_error ("failed to allocate %" G_GSIZE_FORMAT " bytes: %s", bytes, g_strerror (errno));
  return self;
}

void
tall_digest_filter_free (TallDigestFilter *self)
{
  if (self == NULL)
    return;
  munmap (self->blocks, self->size);
  g_free (self);
}

/* The first half of a digest chooses the block, the second the bits in it. Returns: whether all of
 * them were set */
static gboolean
find_bits (const TallDigestFilter *self, const guint8 digest[TALL_DIGEST_SIZE], gboolean sets)
{
  guint64 halves[2], masks[WORDS] = { 0 }, missing = 0;
  memcpy (halves, digest, sizeof halves);
  guint64 *block = self->blocks[halves[0] % self->n_blocks];
  for (guint i = 0; i < PROBES; i++, halves[1] >>= BIT_PART)
    masks[halves[1] / 64 % WORDS] |= G_GUINT64_CONSTANT (1) << halves[1] % 64;
  for (guint i = 0; i < WORDS; i++)
    {
      missing |= masks[i] & ~block[i];
      if (sets) /* what is only looked at takes no memory */
        block[i] |= masks[i];
    }
  return missing == 0;
}

/* Returns: TRUE if the digest was certainly not there before */
gboolean
tall_digest_filter_add (TallDigestFilter *self, const guint8 digest[TALL_DIGEST_SIZE])
{
  return !find_bits (self, digest, TRUE);
}

/* FALSE if the digest is certainly not there. */
gboolean
tall_digest_filter_contains (const TallDigestFilter *self, const guint8 digest[TALL_DIGEST_SIZE])
{
  return find_bits (self, digest, FALSE);
}

#define TICK_ROWS 4096

#define MIB ((gsize)1024 * 1024)
#define SEEN_SIZE (32 * MIB)
#define APART_SIZE (16 * MIB)

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
  TallDigestFilter *seen;  /* orders that began; NULL after the first pass */
  TallDigestFilter *apart; /* orders that cannot be assembled where they stand; NULL: none */
  gboolean any_unknown;    /* some of them are of any customer */
  gboolean in_apart;       /* the order that is read now began before */
  guint64 bytes;           /* of all rows */
  guint64 apart_bytes;     /* of rows of orders that began before */
  guint64 n_apart;         /* orders in @apart */
  Sequence surveyed;       /* in the first pass … */
  Sequence met;            /* … and in the second */
};

/* The last step of SplitMix64 (Steele, Lea and Flood, 2014). */
static guint64
mix (guint64 value)
{
  value = (value ^ value >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  value = (value ^ value >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return value ^ value >> 31;
}

static guint64
mix_text (guint64 hash, const char *text)
{
  gsize len = strlen (text);
  hash = mix (hash + len + 1);
  for (gsize i = 0; i < len; i += sizeof (guint64))
    {
      guint64 word = 0;
      memcpy (&word, text + i, MIN (sizeof word, len - i));
      hash = mix (hash ^ word);
    }
  return hash;
}

/* 64 bits, mixed once more for the other half. Not an MD5, which takes five times as long: two
 * orders with the same digest are only put aside. */
static void
compute_digest (const char *customer, const char *order, guint8 digest[TALL_DIGEST_SIZE])
{
  guint64 halves[2];
  halves[0] = mix_text (mix_text (0, customer), order);
  halves[1] = mix (halves[0] + 1);
  memcpy (digest, halves, sizeof halves);
}

static void
advance (Sequence *self, const guint8 digest[TALL_DIGEST_SIZE])
{
  guint64 part;
  memcpy (&part, digest, sizeof part);
  self->n++;
  self->sum = self->sum * 31 + part;
}

static void
set_apart (TallSurvey *self, const guint8 digest[TALL_DIGEST_SIZE])
{
  if (self->apart == NULL)
    self->apart = tall_digest_filter_new (APART_SIZE);
  if (tall_digest_filter_add (self->apart, digest))
    self->n_apart++;
}

/* A row that cannot be read is perhaps one of this order. */
static void
spoil (TallSurvey *self, const char *customer, const char *order)
{
  guint8 digest[TALL_DIGEST_SIZE];
  compute_digest (customer != NULL ? customer : UNKNOWN_CUSTOMER, order, digest);
  set_apart (self, digest);
  self->any_unknown |= customer == NULL;
}

static void
note_order (TallSurvey *self)
{
  const TallOrderCursor *cursor = &self->cursor;
  guint8 digest[TALL_DIGEST_SIZE];
  compute_digest (cursor->knows_customer ? cursor->customer_number : UNKNOWN_CUSTOMER,
                  cursor->order_number, digest);
  advance (&self->surveyed, digest);
  self->in_apart = cursor->knows_customer && !tall_digest_filter_add (self->seen, digest);
  if (self->in_apart)
    set_apart (self, digest);
}

/* @row: the next one, good or bad. */
void
tall_survey_push (TallSurvey *self, const TallCsvRow *row)
{
  const TallOrderCursor *cursor = &self->cursor;
  TallOrderPlace place = tall_order_cursor_step (&self->cursor, row);
  if (place == TALL_PLACE_NEW)
    note_order (self);
  if (cursor->row_order != NULL && (place == TALL_PLACE_STRAY || cursor->row_customer == NULL))
    spoil (self, cursor->row_customer, cursor->row_order);
  self->bytes += row->raw.len;
  if (self->in_apart)
    self->apart_bytes += row->raw.len;
}

static gboolean
read_file (TallSurvey *self,
           const TallLoadFile *file,
           const char *folder,
           TallSurveyTick tick,
           gpointer data,
           GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  tall_order_cursor_init (&self->cursor, file->mapping);
  if (!tall_csv_reader_keep (file->reader, folder, error))
    return FALSE;
  tall_csv_reader_want (file->reader, tall_order_cursor_count_fields (&self->cursor));
  for (guint64 n = 1; (step = tall_csv_reader_next (file->reader, &row, error)) == TALL_CSV_ROW;
       n++)
    {
      tall_survey_push (self, &row);
      if (tick != NULL && n % TICK_ROWS == 0)
        tick (data);
    }
  return step != TALL_CSV_FAILED;
}

/* Begins a survey of rows, which ends with tall_survey_end(). @mapping: of the rows that come;
 * stays the caller's. Returns: (transfer full): the survey */
TallSurvey *
tall_survey_new (const TallMapping *mapping)
{
  TallSurvey *self = g_new0 (TallSurvey, 1);
  self->seen = tall_digest_filter_new (SEEN_SIZE);
  tall_order_cursor_init (&self->cursor, mapping);
  return self;
}

/* All rows have come. */
void
tall_survey_end (TallSurvey *self)
{
  g_clear_pointer (&self->seen, tall_digest_filter_free);
}

/* Reads files for the first time. A row that has an order number and no valid customer number
 * may belong to any order of that number. An order in two files begins twice. @files: of orders,
 * before their first rows, where they are again afterwards. @folder: where the copy of what
 * cannot be read twice goes. @tick: (nullable): called with @data. Returns: (transfer full):
 * NULL if a file cannot be read twice, as tall_csv_reader_keep(), tall_csv_reader_next() and
 * tall_csv_reader_rewind() say */
TallSurvey *
tall_survey_make (const TallLoadFiles *files,
                  const char *folder,
                  TallSurveyTick tick,
                  gpointer data,
                  GError **error)
{
  g_autoptr (TallSurvey) self = tall_survey_new (tall_load_files_get (files, 0)->mapping);
  for (guint i = 0; i < tall_load_files_count (files); i++)
    if (!read_file (self, tall_load_files_get (files, i), folder, tick, data, error))
      return NULL;
  for (guint i = 0; i < tall_load_files_count (files); i++)
    if (!tall_csv_reader_rewind (tall_load_files_get (files, i)->reader, error))
      return NULL;
  tall_survey_end (self);
  return g_steal_pointer (&self);
}

void
tall_survey_free (TallSurvey *self)
{
  if (self == NULL)
    return;
  tall_digest_filter_free (self->seen);
  tall_digest_filter_free (self->apart);
  g_free (self);
}

/* To be called for each order that begins in the second pass, in the order of the file. @customer:
 * (nullable): NULL if it is not known. Returns: TRUE if the order may have rows elsewhere; FALSE:
 * its rows follow each other, and no row that may be one of them is unreadable */
gboolean
tall_survey_begin_order (TallSurvey *self, const char *customer, const char *order)
{
  guint8 digest[TALL_DIGEST_SIZE];
  compute_digest (customer != NULL ? customer : UNKNOWN_CUSTOMER, order, digest);
  advance (&self->met, digest);
  if (self->apart == NULL)
    return FALSE;
  if (tall_digest_filter_contains (self->apart, digest))
    return TRUE;
  if (!self->any_unknown)
    return FALSE;
  compute_digest (UNKNOWN_CUSTOMER, order, digest);
  return tall_digest_filter_contains (self->apart, digest);
}

/* TRUE if the second pass has met the orders of the first in the same sequence. */
gboolean
tall_survey_agrees (const TallSurvey *self)
{
  return self->met.n == self->surveyed.n && self->met.sum == self->surveyed.sum;
}

/* About how many bytes the rows take of orders that have rows elsewhere: those that come later are
 * counted, and for those that came first each such order gets the mean. 0: there are none. */
guint64
tall_survey_estimate (const TallSurvey *self)
{
  if (self->n_apart == 0)
    return 0;
  guint64 first = self->n_apart * (self->bytes / MAX (self->surveyed.n, 1));
  return CLAMP (self->apart_bytes + first, 1, MAX (self->bytes, 1));
}
