/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/verify.h"
#include "tall-error.h"

#define REPAIR "verify --repair"
#define REPAIR_OR_PUT REPAIR ", or the next put of the order"
#define PUT_AGAIN "store it again from where it came from, or from a backup"

static const TallFindingInfo infos[TALL_N_FINDING_KINDS] = {
  [TALL_FINDING_ALTERED_STATE] = { "altered-state",
                                   "no version writes such a state cell; the order or customer is "
                                   "damaged, and cannot be replaced",
                                   "write a state cell again from a backup of the row", TRUE },
  [TALL_FINDING_NEWER_VERSION] = { "newer-version",
                                   "a newer version of tallorder wrote it, and this one cannot "
                                   "judge it",
                                   "verify with the newer version", TRUE },
  [TALL_FINDING_NO_STATE] = { "no-state",
                              "a root row has content and no state cell; the order or customer is "
                              "not found, and its content may be the only one",
                              "look at the row, store what it holds, and delete it", TRUE },
  [TALL_FINDING_NO_SUMMARY] = { "no-summary", "a root row does not say whose it is; it is damaged",
                                PUT_AGAIN, TRUE },
  [TALL_FINDING_ALTERED_SUMMARY] = { "altered-summary",
                                     "the summary is not that of the content; listings are wrong",
                                     PUT_AGAIN, TRUE },
  [TALL_FINDING_WRONG_KEY] = { "wrong-key",
                               "the numbers in a root row do not belong to its row key; nobody "
                               "finds it by them",
                               PUT_AGAIN, TRUE },
  [TALL_FINDING_UNREADABLE] = { "unreadable",
                                "a cell cannot be understood; the order or customer is damaged",
                                PUT_AGAIN, TRUE },
  [TALL_FINDING_MISSING_ROWS] = { "missing-rows",
                                  "locations or lines are missing; the order is damaged", PUT_AGAIN,
                                  TRUE },
  [TALL_FINDING_SURPLUS_ROWS] = { "surplus-rows",
                                  "there are more locations or lines than were stored; the order "
                                  "is damaged",
                                  PUT_AGAIN, TRUE },
  [TALL_FINDING_ALTERED_CONTENT] = { "altered-content",
                                     "everything is there, and not what was stored; the order or "
                                     "customer is damaged",
                                     PUT_AGAIN, TRUE },
  [TALL_FINDING_ALTERED_DATE] = { "altered-date",
                                  "the state cell has another sales date than the content; "
                                  "listings do not show the order, or at a wrong place",
                                  PUT_AGAIN, TRUE },
  [TALL_FINDING_STALE_CLAIM] = { "stale-claim",
                                 "a writer has announced a revision and is gone; the next writer "
                                 "waits a second",
                                 REPAIR_OR_PUT, FALSE },
  [TALL_FINDING_LEFTOVER] = { "leftover",
                              "rows hold cells of revisions that do not count; nobody sees them",
                              REPAIR_OR_PUT, FALSE },
  [TALL_FINDING_ORPHAN] = { "orphan",
                            "rows of a bulk load belong to an order that has no root row; nobody "
                            "sees them",
                            REPAIR ", or a put of the order", FALSE },
  [TALL_FINDING_LOST_ROOT] = { "lost-root",
                               "rows of a put belong to an order that has no root row, which must "
                               "have been there; the order is not found",
                               PUT_AGAIN, TRUE },
  [TALL_FINDING_MISSING_HINT] = { "missing-hint",
                                  "listings by date, or finds, do not show the order",
                                  REPAIR_OR_PUT, FALSE },
  [TALL_FINDING_DANGLING_HINT] = { "dangling-hint",
                                   "a hint leads to no order of its date; some listings look at a "
                                   "row more",
                                   REPAIR, FALSE },
  [TALL_FINDING_ALTERED_HINT] = { "altered-hint",
                                  "a row by which an order is listed shows something else than the "
                                  "order",
                                  REPAIR_OR_PUT, FALSE },
  [TALL_FINDING_HALF_ID] = { "half-id",
                             "of a customer's id only the way there or the way back is stored",
                             REPAIR ", if no other id or customer is concerned", FALSE },
  [TALL_FINDING_ALTERED_ID] = { "altered-id",
                                "a customer's id leads back to another customer, or is none; its "
                                "orders may not be found",
                                "look at the table ids and at what lies under the ids", TRUE },
  [TALL_FINDING_STRAY_ROW] = { "stray-row", "a row has a key that tallorder does not make",
                               "delete it if nobody else needs it", TRUE },
  [TALL_FINDING_UNREADABLE_TABLE] = { "unreadable-table",
                                      "the store below cannot read some rows of a table, from this "
                                      "one on; they were not verified",
                                      "a backup, or the tools of the store below; the table index "
                                      "alone: migrate --to-index none, then --to-index date",
                                      TRUE },
  [TALL_FINDING_UNFINISHED_LOAD] = { "unfinished-load",
                                     "a load has begun and not ended; it runs, or was cut short",
                                     "start it again with the same file, and it goes on; if it is "
                                     "given up, " REPAIR " removes the rows that it left",
                                     FALSE },
  [TALL_FINDING_UNFINISHED_MIGRATION] = { "unfinished-migration",
                                          "a migration has begun and not ended; it runs, or was "
                                          "cut short",
                                          "migrate goes on with it, migrate --abort gives it up",
                                          FALSE },
  [TALL_FINDING_UNUSED_TABLES] = { "unused-tables",
                                   "a migration has ended or was given up, and its other tables "
                                   "are still there; nobody reads them",
                                   "migrate --drop-source removes them", FALSE },
};

/**
 * tall_finding_kind_is_note:
 *
 * Returns: whether nothing is wrong with it: only a person knows if it is meant, or under way
 */
gboolean
tall_finding_kind_is_note (TallFindingKind kind)
{
  return kind >= TALL_FINDING_UNFINISHED_LOAD;
}

/**
 * tall_finding_kind_info:
 *
 * Returns: (transfer none): what is known of a kind
 */
const TallFindingInfo *
tall_finding_kind_info (TallFindingKind kind)
{
  return &infos[kind];
}

/**
 * tall_finding_kind_parse:
 * @kind: (out):
 *
 * Returns: FALSE if there is no kind of that name
 */
gboolean
tall_finding_kind_parse (const char *name, TallFindingKind *kind)
{
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    if (g_str_equal (infos[i].name, name))
      {
        *kind = i;
        return TRUE;
      }
  return FALSE;
}

/* Rows may say anything. Bytes that are not text cannot be shown as text. */
static const char *
copy_text (TallArena *arena, const char *text)
{
  return text == NULL || !g_utf8_validate (text, -1, NULL) ? NULL : tall_arena_strdup (arena, text);
}

/* The message without the place, which the finding names by itself. */
static const char *
skip_place (const TallFinding *finding, const char *message)
{
  g_autofree char *row = tall_slice_to_debug (finding->row);
  g_autofree char *table = g_strdup_printf ("Table %s", finding->table);
  g_autofree char *whole = g_strdup_printf ("%s, row %s", table, row);
  const char *const places[] = { whole, table };
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      const char *rest = message + strlen (places[i]);
      if (g_str_has_prefix (message, places[i])
          && (g_str_has_prefix (rest, ": ") || g_str_has_prefix (rest, ", ")))
        return rest + 2;
    }
  return message;
}

/**
 * tall_verify_report:
 * @finding: copied
 */
void
tall_verify_report (TallVerify *self, const TallFinding *finding)
{
  TallArena *arena = self->part->arena;
  g_autofree char *message = g_utf8_make_valid (finding->message, -1);
  TallFinding copy = *finding;
  copy.table = tall_arena_strdup (arena, finding->table);
  copy.row = tall_slice_dup (arena, finding->row);
  copy.customer_number = copy_text (arena, finding->customer_number);
  copy.order_number = copy_text (arena, finding->order_number);
  copy.message = tall_arena_strdup (arena, skip_place (finding, message));
  copy.detail = copy_text (arena, finding->detail);
  g_array_append_val (self->findings, copy);
  self->n_mended += finding->mended;
}

/**
 * tall_verify_report_stray:
 *
 * Reports rows that are of nobody, or that cannot be read. Nothing is under way there.
 */
void
tall_verify_report_stray (TallVerify *self, const TallVerifyStray *stray)
{
  g_autofree char *many = g_strdup_printf (
      "%u rows between those of an order have keys of no row of the layout; this is the first",
      stray->n_rows);
  const char *message = stray->n_rows == 1 ? "its key is that of no row of the layout" : many;
  TallFinding finding = { .kind = TALL_FINDING_STRAY_ROW,
                          .table = stray->table,
                          .row = tall_slice_array (stray->row),
                          .n_rows = stray->n_rows,
                          .message = message };
  if (stray->cause != NULL)
    {
      finding.kind = TALL_FINDING_UNREADABLE_TABLE;
      finding.message = stray->cause->message;
      finding.detail = tall_error_get_detail (stray->cause);
      self->part->is_broken = TRUE;
    }
  tall_verify_report (self, &finding);
}

void
tall_verify_part_free (TallVerifyPart *self)
{
  tall_arena_free (self->arena);
  g_free (self);
}
