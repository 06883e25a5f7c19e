/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

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
  gboolean is_dry; /* nothing was stored */
} TallLoadReport;

void tall_load_report_print (const TallLoadReport *self);
void tall_load_report_print_json (const TallLoadReport *self);
void
tall_load_report_print_rejects (TallRejects *rejects, const char *path, const TallLoadFiles *files);
void tall_load_report_add_reasons (JsonBuilder *builder, TallRejects *rejects);

G_END_DECLS
