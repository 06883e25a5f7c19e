/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"

G_BEGIN_DECLS

/* An index of the deployment: a customer's orders by the last character of their content. */
#define TALL_TARGET_INDEX "ending"

/**
 * TallTarget:
 *
 * The deployment that a workload works on, seen by any number of writers, each with a store, a
 * clock and, if wanted, faults of its own. Or a server of it, for which each is a client.
 */
typedef struct
{
  char *url;    /* `memory`, or as the command line takes it; NULL: there is a server */
  char *server; /* its address; the store is not ours then */
  char *tls_ca; /* these three are of TLS */
  char *tls_certificate;
  char *tls_key;
  char *create;  /* layout to create it with; NULL: it is there */
  char *key;     /* key strategy to create it with; NULL: hashed */
  gint ttl;      /* seconds to create it with; 0: orders never expire */
  gint failures; /* one call of so many of a writer fails; 0: none, but others are let in between
                    its calls; less: they go straight to the store */
  gint patience; /* milliseconds that a foreign claim may stay unchanged; 0 = as usual */
  gint omits;    /* #TallOmission */
  TallTable *table;
} TallTarget;

typedef struct
{
  TallTable *table; /* the writer's own way to the target's; NULL for a server */
  TallStore *store; /* likewise */
  TallFront *front; /* the store, or the client */
  gint64 clock;     /* milliseconds that it is fast */
} TallWriter;

gboolean tall_target_open (TallTarget *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_target_clear (TallTarget *self);

TallWriter *
tall_writer_new (const TallTarget *target, gint64 clock, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_writer_settle (TallWriter *self);
void tall_writer_free (TallWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallWriter, tall_writer_free)

G_END_DECLS
