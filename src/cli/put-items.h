/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/json-file.h"
#include "cli/options.h"
#include "tall-front.h"

/* How many objects are put at once: at most, and if nothing is said. */
#define TALL_PUT_MAX_JOBS 16
#define TALL_PUT_JOBS 8

/**
 * TallPutBatch:
 *
 * Objects of a JSON file that are stored at once. Those of one order, or of one customer, are
 * stored one after the other, in the order of the file. Zeroed at first.
 */
typedef struct
{
  TallJsonItem items[TALL_PUT_MAX_JOBS]; /* owned; a failed put sets the error */
  gint64 revisions[TALL_PUT_MAX_JOBS];   /* of those that are stored */
  guint n;
  guint n_tried; /* the first ones */
} TallPutBatch;

/**
 * TallPutCall:
 *
 * What is to be stored, and how that is reported.
 */
typedef struct
{
  const TallOptions *options;
  const TallCommand *command;
  const char *path;  /* of the JSON file; `-`: standard input */
  TallJsonKind kind; /* what an object without wrapping is */
  TallWriteOptions write;
  gboolean force; /* the revisions that objects have do not count */
  guint jobs;     /* puts in flight at once, 1 … TALL_PUT_MAX_JOBS */
  gboolean json;  /* a JSON object a line on standard output for each that is stored or refused */
  gboolean quiet; /* nothing about those that are stored */
} TallPutCall;

TallExit tall_put_items (const TallPutCall *call);
