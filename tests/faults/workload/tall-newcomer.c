/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-newcomer.h"

#define FEW 4 /* operations each time */

struct _TallNewcomer
{
  TallMixOptions few;
  TallWriter *writer;
  TallMixClient *client;
};

/**
 * tall_newcomer_new:
 * @thread: its number in the history
 *
 * Opens @target as it is now.
 */
TallNewcomer *
tall_newcomer_new (
    const TallMixOptions *mix, const TallTarget *target, guint thread, guint32 seed, GError **error)
{
  TallWriter *writer = tall_writer_new (target, 0, error);
  if (writer == NULL)
    return NULL;
  TallNewcomer *self = g_new0 (TallNewcomer, 1);
  self->writer = writer;
  self->few = *mix;
  self->few.n_operations = FEW;
  self->few.n_awaited = 0;
  self->client = tall_mix_client_new (&self->few, TALL_FRONT (writer->store), thread, seed);
  return self;
}

/**
 * tall_newcomer_work:
 *
 * Calls a few times what a mix calls.
 */
void
tall_newcomer_work (TallNewcomer *self)
{
  tall_mix_client_run (self->client);
}

TallFront *
tall_newcomer_get_front (TallNewcomer *self)
{
  return TALL_FRONT (self->writer->store);
}

/* What is still on its way arrives first. */
void
tall_newcomer_free (TallNewcomer *self)
{
  if (self == NULL)
    return;
  tall_mix_client_free (self->client);
  tall_writer_settle (self->writer);
  tall_writer_free (self->writer);
  g_free (self);
}
