/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"
#include "cli/options.h"
#include "load/store/loader.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * TallLoadReport:
 *
 * What `load` says when it has ended, or was stopped.
 */
typedef struct
{
  TallMappingKind kind;
  TallLoadSummary summary;
  const TallLoadFiles *files; /* not owned */
  TallRejects *rejects;       /* not owned */
  const char *rejects_path;   /* where they are kept; NULL: nowhere */
  gdouble seconds;
  gboolean is_dry;     /* nothing was stored */
  gboolean deletes;    /* what the rows name */
  gboolean is_guessed; /* the mapping, as none was named */
} TallLoadReport;

void tall_load_report_print (const TallLoadReport *self);
void tall_load_report_print_json (const TallLoadReport *self);

TallMapping *tall_load_delete_guess_mapping (TallCsvReader *reader,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
