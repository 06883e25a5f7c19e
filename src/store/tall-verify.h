/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

TALL_BEGIN_API

/**
 * TallFindingKind:
 *
 * What can be wrong with a stored row. tall_finding_kind_info() says what each means.
 */
typedef enum
{
  TALL_FINDING_ALTERED_STATE,
  TALL_FINDING_NEWER_VERSION,
  TALL_FINDING_NO_STATE,
  TALL_FINDING_NO_SUMMARY,
  TALL_FINDING_ALTERED_SUMMARY,
  TALL_FINDING_WRONG_KEY,
  TALL_FINDING_UNREADABLE,
  TALL_FINDING_MISSING_ROWS,
  TALL_FINDING_SURPLUS_ROWS,
  TALL_FINDING_ALTERED_CONTENT,
  TALL_FINDING_ALTERED_DATE,
  TALL_FINDING_STALE_CLAIM,
  TALL_FINDING_LEFTOVER,
  TALL_FINDING_ORPHAN,
  TALL_FINDING_LOST_ROOT,
  TALL_FINDING_MISSING_HINT,
  TALL_FINDING_DANGLING_HINT,
  TALL_FINDING_ALTERED_HINT,
  TALL_FINDING_HALF_ID,
  TALL_FINDING_ALTERED_ID,
  TALL_FINDING_STRAY_ROW,
  TALL_FINDING_UNREADABLE_TABLE,
  TALL_FINDING_UNFINISHED_LOAD, /* from here on: notes */
  TALL_FINDING_UNFINISHED_MIGRATION,
  TALL_FINDING_UNUSED_TABLES,
  TALL_N_FINDING_KINDS,
} TallFindingKind;

/**
 * TallFindingInfo:
 *
 * What is known of a kind of finding. All texts are static.
 */
typedef struct
{
  const char *name;      /* as in JSON: `stale-claim` … */
  const char *meaning;   /* what is wrong, and what a reader sees of it */
  const char *remedy;    /* what mends it */
  gboolean needs_person; /* nothing mends it without knowing what was meant */
} TallFindingInfo;

const TallFindingInfo *tall_finding_kind_info (TallFindingKind kind);
gboolean tall_finding_kind_is_note (TallFindingKind kind);
gboolean tall_finding_kind_parse (const char *name,
                                  TallFindingKind *kind) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallUnfinishedLoad:
 *
 * A load that has begun and not ended: it runs, or was cut short.
 */
typedef struct
{
  char *name;    /* what is loaded, for people; NULL: not said; owned */
  gint64 begun;  /* milliseconds since the epoch */
  gint64 stored; /* orders and customers, when it was last synced */
} TallUnfinishedLoad;

void tall_unfinished_load_free (TallUnfinishedLoad *self);

/**
 * TallFinding:
 *
 * Something that is wrong, or a note: nothing is wrong then, and a person knows whether it is meant
 * or under way. Valid during the callback.
 */
typedef struct
{
  TallFindingKind kind;
  const char *name;            /* of @kind, as it travels; may be NULL */
  const char *table;           /* short name */
  TallSlice row;               /* key of the row, or of the first of @n_rows */
  guint n_rows;                /* that are concerned, of the same order */
  const char *customer_number; /* NULL if the rows do not say it */
  const char *order_number;    /* NULL if the rows do not say it, or if it is about a customer */
  gint64 revision;             /* that is committed; 0 if none is, or if nobody knows */
  const char *message;         /* what exactly; fit for a terminal */
  const char *detail; /* what only the owner of the store may see, as in an error; or NULL */
  gboolean mended;    /* it was found, and is not there any more */
  const TallUnfinishedLoad *load; /* of %TALL_FINDING_UNFINISHED_LOAD; else NULL */
} TallFinding;

/**
 * TallVerifySummary:
 *
 * How far a verification has come.
 */
typedef struct
{
  guint64 n_customers; /* rows of customers that were checked, also of deleted ones */
  guint64 n_orders;    /* the same of orders */
  guint64 n_marks;     /* of these, marks of orders that were deleted, or never stored */
  guint64 n_hints;
  guint64 n_ids;
  guint64 n_findings;
  guint64 n_for_person; /* of the findings */
  guint64 n_mended;     /* of the findings */
  guint64 n_busy;       /* orders that were changed each time they were looked at */
  guint64 n_notes;      /* beside the findings */
  gboolean is_whole;    /* everything that was to be verified has been */
  const char *trouble;  /* in a callback: why it waits, and asks again; NULL: it goes on */
} TallVerifySummary;

/**
 * TallVerifyOptions:
 *
 * What is verified. All zero: everything, beside others who write, and nothing is changed.
 */
typedef struct
{
  const char *customer_number; /* nullable: only this customer, with its orders and hints */
  guint sample;                /* percent of the customers, 1 to 99; 0 = all */
  guint rate;                  /* orders a second at most, and as many hints and other rows; 0 = as
                                * fast as it goes */
  gboolean alone;              /* nobody writes meanwhile, so there is nothing to wait for */
  gboolean repair;             /* mend what needs no person; others may write meanwhile */

  void (*on_finding) (const TallFinding *finding, gpointer data); /* nullable */
  /* Nullable; called at the beginning, and about once a second. FALSE ends the verification. */
  gboolean (*on_progress) (const TallVerifySummary *summary, gpointer data);
  gpointer data; /* for both */
} TallVerifyOptions;

/* How long something has to look wrong, in microseconds. An operation takes 10 s, and half a second
 * more to give up a claim. */
#define TALL_VERIFY_PATIENCE (11 * G_USEC_PER_SEC)

/* The most findings of one part. */
#define TALL_VERIFY_MOST_FINDINGS 1000

/**
 * TallVerifyRequest:
 *
 * What one part of a verification does.
 */
typedef struct
{
  const char *customer_number; /* as in the options, and the same for all parts */
  guint sample;
  gboolean repair;
  guint most; /* orders, hints and other rows that it looks at; 0 = as many as come in its time
               */
  TallSlice cursor; /* of the part before; empty: the beginning */
  gboolean notes;   /* give the notes, all in one part, and nothing else */
} TallVerifyRequest;

/**
 * TallVerifyPart:
 *
 * What one part of a verification has found: about a second of work. The cursor holds all that the
 * next part needs to know, also what looked wrong and has to be looked at again, so nobody keeps
 * anything between two parts.
 */
typedef struct
{
  TallArena *arena; /* owns everything below; owned */
  TallFinding *findings;
  guint n_findings;
  TallSlice cursor; /* empty: this was all */
  guint wait;       /* milliseconds after which the next part is to be asked for, unless nobody
                     * writes */
  guint64 n_customers;
  guint64 n_orders;
  guint64 n_marks;
  guint64 n_hints;
  guint64 n_ids;
  guint64 n_busy;
  gboolean is_broken; /* a table cannot be read to its end, or a row not any more */
} TallVerifyPart;

void tall_verify_part_free (TallVerifyPart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallVerifyPart, tall_verify_part_free)

TALL_END_API
