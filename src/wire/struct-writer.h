/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/struct-type.h"
#include "wire/wire-output.h"

G_BEGIN_DECLS

void tall_struct_write (const TallStructType *type, gconstpointer object, TallWireOutput *output);
void tall_struct_append (const TallStructType *type,
                         gconstpointer object,
                         gboolean compact,
                         GByteArray *bytes);

G_END_DECLS
