/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/mapping.h"

G_BEGIN_DECLS

/* The delimiters, and how a mapping names them, in the same order. */
#define TALL_DELIMITERS ",;\t|"
#define TALL_DELIMITER_NAMES "comma|semicolon|tab|pipe"

gboolean tall_mapping_refuse (const TallMapping *self,
                              const char *group,
                              const char *key,
                              GError **error,
                              const char *format,
                              ...) G_GNUC_PRINTF (5, 6);

G_END_DECLS
