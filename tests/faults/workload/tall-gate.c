/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-gate.h"

struct _TallGate
{
  GMutex mutex;
  GCond changed;
  guint n_inside;
  gboolean is_shut;
};

TallGate *
tall_gate_new (void)
{
  TallGate *self = g_new0 (TallGate, 1);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  return self;
}

void
tall_gate_free (TallGate *self)
{
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

void
tall_gate_enter (TallGate *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->mutex);
  while (self->is_shut)
    g_cond_wait (&self->changed, &self->mutex);
  self->n_inside++;
  g_mutex_unlock (&self->mutex);
}

void
tall_gate_leave (TallGate *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->mutex);
  self->n_inside--;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
}

/**
 * tall_gate_shut:
 *
 * Waits until everybody has left; nobody comes in until tall_gate_open().
 */
void
tall_gate_shut (TallGate *self)
{
  g_mutex_lock (&self->mutex);
  self->is_shut = TRUE;
  while (self->n_inside > 0)
    g_cond_wait (&self->changed, &self->mutex);
  g_mutex_unlock (&self->mutex);
}

void
tall_gate_open (TallGate *self)
{
  g_mutex_lock (&self->mutex);
  self->is_shut = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
}
