/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-json-file.h"
#include "tall-options.h"

G_BEGIN_DECLS

TallExit tall_put_items (const TallOptions *options,
                         const TallCommand *command,
                         const char *path,
                         TallJsonKind kind,
                         const TallWriteOptions *write);

G_END_DECLS
