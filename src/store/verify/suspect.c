/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/suspect.h"

#define SUSPECT_FORMAT 4

/* By their number in the bytes. */
static const TallVerifyPair *const pairs[] = { NULL, &tall_verify_hints, &tall_verify_ids };

/**
 * tall_verify_mark:
 *
 * Returns: what stands in cursors and suspects for the deployment and its tables: of another
 * deployment of that name, or other tables, they are refused
 */
guint64
tall_verify_mark (const TallStoreContext *context)
{
  guint8 digest[TALL_MD5_SIZE];
  g_autofree char *text =
      g_strdup_printf ("%s %" G_GUINT64_FORMAT, context->id, context->generation);
  tall_md5 (tall_slice_str (text), digest);
  TallReader reader = tall_reader (tall_slice (digest, sizeof digest));
  return tall_reader_u64 (&reader);
}

static void
append_bytes (GByteArray *array, TallSlice bytes)
{
  tall_bytes_append_u16 (array, (guint16)bytes.len);
  tall_bytes_append (array, bytes);
}

static TallSlice
read_bytes (TallReader *reader)
{
  return tall_reader_take (reader, tall_reader_u16 (reader));
}

/**
 * tall_suspect_write:
 *
 * Returns: its bytes, in @arena
 */
TallSlice
tall_suspect_write (const TallSuspect *self, const TallStoreContext *context, TallArena *arena)
{
  guint8 what = 0;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  while (pairs[what] != self->pair)
    what++;
  tall_bytes_append_u8 (bytes, SUSPECT_FORMAT);
  tall_bytes_append_u64 (bytes, tall_verify_mark (context));
  tall_bytes_append_u8 (bytes, what);
  tall_bytes_append_u8 (bytes, self->n_looks);
  tall_bytes_append_u8 (bytes, (guint8)self->search);
  tall_bytes_append_u32 (bytes, self->kinds);
  tall_bytes_append_u32 (bytes, self->certain);
  tall_bytes_append (bytes, tall_slice (self->fingerprint, TALL_MD5_SIZE));
  append_bytes (bytes, self->key);
  append_bytes (bytes, self->order);
  append_bytes (bytes, self->place);
  return tall_slice_dup (arena, tall_slice_array (bytes));
}

/* Whether all of these can be mended. */
static gboolean
can_be_certain (guint32 kinds)
{
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    if ((kinds & (1u << i)) != 0 && tall_finding_kind_info (i)->needs_person)
      return FALSE;
  return kinds < 1u << TALL_N_FINDING_KINDS;
}

/* Whether its keys can be read by: they come from a client. */
static gboolean
is_possible (const TallSuspect *self, const TallStoreContext *context)
{
  const TallKeyStrategy *strategy = context->key_strategy;
  if (!can_be_certain (self->certain))
    return FALSE;
  if (self->search != TALL_SUSPECT_UNSEARCHED && self->pair != &tall_verify_ids)
    return FALSE;
  if (self->place.len > TALL_MAX_ROW_KEY + 1)
    return FALSE;
  if (self->pair == &tall_verify_hints && !context->has_index)
    return FALSE;
  if (self->pair == &tall_verify_ids && context->ids == NULL)
    return FALSE;
  if (self->pair != NULL)
    return self->key.len > 0 && self->key.len <= TALL_MAX_ROW_KEY && self->order.len == 0;
  return self->key.len > 0 && strategy->measure_customer (self->key) == (gssize)self->key.len
         && (self->order.len == 0
             || strategy->measure_order (self->order) == (gssize)self->order.len);
}

/**
 * tall_suspect_read:
 * @state: its bytes, which must outlive it
 *
 * Returns: FALSE if these are not the bytes of a suspect
 */
gboolean
tall_suspect_read (TallSuspect *self, const TallStoreContext *context, TallSlice state)
{
  TallReader reader = tall_reader (state);
  guint8 format = tall_reader_u8 (&reader);
  guint64 mark = tall_reader_u64 (&reader);
  guint8 what = tall_reader_u8 (&reader);
  *self = (TallSuspect){ .n_looks = tall_reader_u8 (&reader) };
  self->search = tall_reader_u8 (&reader);
  self->kinds = tall_reader_u32 (&reader);
  self->certain = tall_reader_u32 (&reader);
  TallSlice fingerprint = tall_reader_take (&reader, TALL_MD5_SIZE);
  self->key = read_bytes (&reader);
  self->order = read_bytes (&reader);
  self->place = read_bytes (&reader);
  if (!tall_reader_done (&reader) || format != SUSPECT_FORMAT || mark != tall_verify_mark (context)
      || what >= G_N_ELEMENTS (pairs) || self->search >= TALL_N_SUSPECT_SEARCHES)
    return FALSE;
  memcpy (self->fingerprint, fingerprint.data, TALL_MD5_SIZE);
  self->pair = pairs[what];
  return is_possible (self, context);
}

/* Where the finding was, as far as it is known without it. */
static TallFinding
find_again (const TallSuspect *self, const TallVerifyLook *look, TallFindingKind kind)
{
  TallFinding finding = {
    .kind = kind,
    .table = self->pair != NULL ? self->pair->table : look->table,
    .row = self->pair != NULL ? self->key : look->root_key,
    .n_rows = 1,
    .customer_number = look->customer_number,
    .order_number = look->order_number,
    .revision = look->root.exists ? look->root.state.revision : 0,
    .message = "it was found and is mended; the answer that said more of it was lost",
    .mended = TRUE,
  };
  return finding;
}

/**
 * tall_suspect_report_gone:
 * @look: what is there now
 *
 * Reports as mended what was certain and is gone: a part that did not come to its end, or whose
 * answer was lost, has mended it.
 */
void
tall_suspect_report_gone (TallSuspect *self, TallVerify *verify, const TallVerifyLook *look)
{
  guint32 gone = self->certain & ~tall_verify_look_kinds (look);
  self->certain &= ~gone;
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    {
      TallFinding finding = find_again (self, look, i);
      if ((gone & (1u << i)) != 0)
        tall_verify_report (verify, &finding);
    }
}
