/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"
#include "tall-test-store.h"

G_BEGIN_DECLS

/**
 * TallStepper:
 *
 * A client that waits before each call of the table until the test lets it through, except when it
 * reads the deployment record. So a test can interleave several clients call by call, as the traces
 * of the model do.
 */
typedef struct _TallStepper TallStepper;

/* Milliseconds, from the first revision on that puts choose, whatever the clock says. */
#define TALL_STEPPER_TIME(now) (TALL_FIRST_REVISION + (now))

TallStepper *tall_stepper_new (TallTable *table, gint64 now);
void tall_stepper_free (TallStepper *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallStepper, tall_stepper_free)

/* Begin an operation. When these return, it waits before its first call. */
void
tall_stepper_put (TallStepper *self, guint writer, guint n_lines, const TallWriteOptions *options);
void tall_stepper_get (TallStepper *self);
void tall_stepper_delete (TallStepper *self);
void tall_stepper_repair (TallStepper *self);

void tall_stepper_step (TallStepper *self, TallCallKind expected);
void tall_stepper_fail (TallStepper *self, TallCallKind expected, TallFailure failure);
void tall_stepper_reach (TallStepper *self, TallCallKind kind);
void tall_stepper_finish (TallStepper *self);
guint tall_stepper_deliver_late (TallStepper *self);

/* Of the operation that has finished. */
const GError *tall_stepper_get_error (TallStepper *self);
guint tall_stepper_get_seen (TallStepper *self);
TallStore *tall_stepper_get_store (TallStepper *self);

/* Of many calls: what the interleavings of several clients begin and end with. */
TallTable *tall_stepper_table_new (const TallLayout *layout);
void tall_stepper_put_whole (TallStepper *client, guint writer, guint n_lines);
void tall_stepper_claim (TallStepper *client, guint writer, guint n_lines);
void tall_stepper_find_claim (TallStepper *client);
guint tall_stepper_see (TallTable *table);
void tall_stepper_go_on_alone (TallTable *table);

G_END_DECLS
