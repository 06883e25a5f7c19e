/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "report.h"
#include "table/table-kind.h"

G_BEGIN_DECLS

/**
 * TallFloorSubject:
 *
 * What is measured.
 */
typedef enum
{
  TALL_FLOOR_CALLS,
  TALL_FLOOR_FETCH,   /* of an order, beside a peer that does nothing else */
  TALL_FLOOR_LOAD,    /* of a file */
  TALL_FLOOR_MIGRATE, /* to another layout */
  TALL_FLOOR_ADDRESS, /* of an order, which is corrected */
  TALL_FLOOR_TLS,     /* of the service, beside plain connections */
} TallFloorSubject;

/**
 * TallFloorOptions:
 *
 * What to measure, and how. Start from TALL_FLOOR_OPTIONS_INIT.
 */
typedef struct
{
  /* Where. Embedded: temporary stores are made in its directory, and the service is measured, too.
   * NULL: the same where temporary files go. */
  const TallTableAddress *address;
  TallFloorSubject subject;
  const char *peer;            /* nullable: a program of peers/ that loads the file, too */
  const char *tls_certificate; /* these three are of a server at localhost, for that subject */
  const char *tls_key;
  const char *tls_ca;        /* nullable: the certificate is trusted itself */
  guint n_lines;             /* of an order */
  guint n_orders;            /* the orders that are fetched, or corrected */
  double seconds;            /* for each figure */
  const TallBenchPids *pids; /* nullable: then CPU time is reported, too, also of these processes */
  const gint *stop;          /* nullable; atomic: becomes nonzero when the run has to stop */
  void (*progress) (const char *what, double done, gpointer data); /* nullable; 0 … 1 */
  gpointer progress_data;
} TallFloorOptions;

#define TALL_FLOOR_CORRECTED 100 /* usually, in turn, so that none grows old */

#define TALL_FLOOR_OPTIONS_INIT                                                                    \
  {                                                                                                \
    .n_lines = 10, .n_orders = 20000, .seconds = 5                                                 \
  }

gboolean tall_floor_run (const TallFloorOptions *options,
                         TallBenchReport *report,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
