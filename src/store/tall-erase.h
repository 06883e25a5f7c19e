/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

TALL_BEGIN_API

/**
 * TallEraseStage:
 * @TALL_ERASE_DELETING: what there is of the customer is deleted
 * @TALL_ERASE_WAITING: for calls that were under way, which may still write beside it
 * @TALL_ERASE_REMOVING: texts, hints, and what such calls have left
 * @TALL_ERASE_COMPACTING: the files of an embedded store are written anew, without it
 * @TALL_ERASE_DONE: nothing is left but what @left of #TallErasePart names
 */
typedef enum
{
  TALL_ERASE_DELETING,
  TALL_ERASE_WAITING,
  TALL_ERASE_REMOVING,
  TALL_ERASE_COMPACTING,
  TALL_ERASE_DONE,
} TallEraseStage;

const char *tall_erase_stage_get_name (TallEraseStage stage);
gboolean tall_erase_stage_parse (const char *name, TallEraseStage *stage) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallEraseCounts:
 *
 * What was removed. An erase that is begun again counts only what it finds itself.
 */
typedef struct
{
  guint64 n_orders;    /* that could be read before */
  guint64 n_customers; /* 1: so could the customer */
  guint64 n_marks;     /* that something was deleted, also earlier: the numbers in them are gone */
  guint64 n_rows;      /* of locations and lines, hints and ids */
} TallEraseCounts;

/**
 * TallEraseRequest:
 *
 * What one part of an erase does.
 */
typedef struct
{
  const char *customer_number;
  gboolean compact; /* have an embedded store drop it from its files, too */
  gboolean alone;   /* nobody else uses the store, so there is nothing to wait for; of no effect
                     * where other processes may */
  TallSlice cursor; /* of the part before; empty: the beginning */
} TallEraseRequest;

/**
 * TallErasePart:
 *
 * What one part of an erase has done: about a second of work. The cursor holds all that the next
 * part needs to know, so nobody keeps anything between two parts.
 */
typedef struct
{
  TallArena *arena; /* owns everything below; owned */
  TallSlice cursor; /* empty: this was all */
  guint wait;       /* milliseconds after which the next part is to be asked for */
  TallEraseStage stage;
  TallEraseCounts counts; /* of this part */
  char **left;            /* n_left of them, at the end only: sentences for people, what is left,
                           * and where */
  gsize n_left;
} TallErasePart;

void tall_erase_part_free (TallErasePart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallErasePart, tall_erase_part_free)

/**
 * TallEraseOptions:
 *
 * How tall_front_erase_customer() goes about it. All zero, or a NULL pointer to it: files stay as
 * they are, and others may use the store meanwhile.
 */
typedef struct
{
  gboolean compact; /* as in #TallEraseRequest */
  gboolean alone;   /* the same */
  /* Nullable; called before each part, and while it waits. @counts: of all parts so far. FALSE ends
   * the erase, which may be begun again. */
  gboolean (*on_progress) (TallEraseStage stage, const TallEraseCounts *counts, gpointer data);
  gpointer data;
} TallEraseOptions;

TALL_END_API
