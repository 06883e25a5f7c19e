/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/assembler.h"
#include "load/store/files.h"

G_BEGIN_DECLS

/**
 * TallLoadStage:
 * @TALL_LOAD_SURVEYS: the first pass, which looks where each order's rows are; a pipe is copied
 * @TALL_LOAD_STORES: the second pass, or the only one for customers
 * @TALL_LOAD_GATHERS: assembles the orders whose rows were put aside
 */
typedef enum
{
  TALL_LOAD_SURVEYS,
  TALL_LOAD_STORES,
  TALL_LOAD_GATHERS,
} TallLoadStage;

/**
 * TallReadingHooks:
 *
 * What a reading reports, from the thread that reads.
 */
typedef struct
{
  /* An order or a customer is complete. */
  TallAssemblerEmit emit;

  /* A row was read; or, with NULL, one that was put aside goes on. Returns FALSE if the load is to
   * stop here, perhaps with an error. */
  gboolean (*take_row) (const TallCsvRow *row, gpointer data, GError **error);

  /* Called every now and then, with what the stage has done and has to do: bytes, or rows that were
   * put aside; @size is 0 if it is not known. */
  void (*report) (TallLoadStage stage, guint64 position, guint64 size, gpointer data);

  /* Rows that are put aside begin to take room in @folder, about so many bytes in the end. */
  void (*announce) (const char *folder, guint64 bytes, gpointer data);
} TallReadingHooks;

gboolean tall_reading_run (const TallLoadFiles *files,
                           const char *folder,
                           TallRejects *rejects,
                           const TallReadingHooks *hooks,
                           gpointer data,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
