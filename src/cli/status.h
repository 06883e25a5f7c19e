/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

#include "migrate/migrate-runner.h"
#include "store/store.h"

G_BEGIN_DECLS

/**
 * TallStatus:
 *
 * Everything that `status` shows.
 */
typedef struct
{
  TallDescription *description;
  gdouble ping;        /* milliseconds */
  GPtrArray *tables;   /* of TallTableSpec; NULL: of a server, which does not tell them */
  GError *no_tables;   /* why they are not all in @tables */
  GPtrArray *gateways; /* of TallTableServer; NULL: there are none, or of a server */
  GPtrArray *loads;    /* of TallUnfinishedLoad; NULL: a server does not tell, or nobody can */
  guint n_unused;      /* tables that a migration has left, if no other is going on */
  GError *no_loads;    /* why they cannot be read */
  GStrv losses;        /* lines; NULL: there are none, or of a server */
  TallMigrateState *migration; /* that a server runs; NULL: it runs none, or does not tell us */
} TallStatus;

gboolean tall_status_is_table (const TallStatus *self, const TallTableSpec *spec, const char *name);
void tall_status_print_phase (const TallStatus *self);
void tall_status_print_tables_left (const TallStatus *self);

void tall_status_count_unused (TallStatus *self);
void tall_status_ask_server (TallStatus *self, TallFront *front);

G_END_DECLS
