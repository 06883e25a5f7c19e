/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallGate:
 *
 * Lets any number of threads in, until somebody shuts it to be alone.
 */
typedef struct _TallGate TallGate;

TallGate *tall_gate_new (void);
void tall_gate_free (TallGate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallGate, tall_gate_free)

/* Of those that come and go; @self is nullable: then nobody is ever shut out. */
void tall_gate_enter (TallGate *self);
void tall_gate_leave (TallGate *self);

/* Of one that wants to be alone. */
void tall_gate_shut (TallGate *self);
void tall_gate_open (TallGate *self);

G_END_DECLS
