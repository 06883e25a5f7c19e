/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/writer.h"
#include "table/hbase/table.h"

G_BEGIN_DECLS

GByteArray *tall_raw_request_encode (const TallHbaseOptions *options,
                                     const TallRead *read,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
GByteArray *tall_raw_request_encode_if (const TallHbaseOptions *options,
                                        const TallConditionalWrite *write,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
GByteArray *tall_raw_request_encode_puts (const TallHbaseOptions *options,
                                          const TallBatch *batch,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
