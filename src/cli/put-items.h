/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/json-file.h"
#include "cli/options.h"
#include "cli/put-batch.h"

G_BEGIN_DECLS

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
  guint jobs;     /* puts in flight at once, 1 … TALL_PUT_MAX_JOBS */
  gboolean json;  /* a JSON object a line on standard output for each that is stored or refused */
  gboolean quiet; /* nothing about those that are stored */
} TallPutCall;

TallExit tall_put_items (const TallPutCall *call);

G_END_DECLS
