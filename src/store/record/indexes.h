/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/template.h"
#include "store/store.h"

/* Of one deployment, besides the one by date. The number of each, with which its rows begin, is its
 * place in the list, from 1: tables of entries are made for one list, and another one has others.
 */
#define TALL_MOST_INDEXES 15

/**
 * TallIndex:
 *
 * By what orders are found.
 */
typedef struct
{
  char *name;             /* owned */
  TallTemplate *template; /* owned */
} TallIndex;

GPtrArray *tall_indexes_make (const char *indexes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
