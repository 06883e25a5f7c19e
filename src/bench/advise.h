/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/advice.h"
#include "table/table-kind.h"

G_BEGIN_DECLS

/**
 * TallAdviseOptions:
 *
 * What is measured, and where.
 */
typedef struct
{
  const char *orders; /* a file of them */
  const char *map;
  const TallBenchMix *mix;
  const TallTableAddress *address;
  guint n_clients;
  guint count; /* orders of the sample at most */
  guint n_turns;
  double seconds; /* of a phase in a turn */
  gint64 total;   /* orders that there will be; -1: as many as the file has */
  guint n_servers;
  guint heap;                  /* MiB */
  const gint *(*begin) (void); /* called when the file of orders is open, and again: gives what
                                * becomes nonzero, atomically, when it has to stop */
  void (*progress) (const char *what, double done, gpointer data); /* nullable; 0 … 1 */
} TallAdviseOptions;

/**
 * TallAdviseResult:
 *
 * What was found, and what follows of it.
 */
typedef struct
{
  TallAdviceFacts facts;
  GArray *layouts;   /* of TallAdviceLayout; what @facts points to */
  GArray *keys;      /* of TallAdviceKey */
  GPtrArray *advice; /* of TallAdvice; NULL: it was not finished */
  char *left_out;    /* nullable: a line for people about rows of the file that are left out */
  const char *store; /* such as `rocksdb` */
  guint n_read;      /* orders of the file */
  guint n_sampled;   /* of these, that were measured with */
  guint n_customers; /* of the sample */
  double lines;      /* an order, on average, of all that were read */
  guint most_lines;
  guint n_turns;
} TallAdviseResult;

gboolean tall_advise_run (const TallAdviseOptions *options,
                          TallAdviseResult *result,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_advise_result_clear (TallAdviseResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallAdviseResult, tall_advise_result_clear)

GPtrArray *tall_advise_find_best_layouts (const GPtrArray *summaries);
char *tall_advise_result_to_text (const TallAdviseResult *self);
char *tall_advise_result_to_json (const TallAdviseResult *self, const char *mix);

G_END_DECLS
