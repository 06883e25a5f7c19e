/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl.h"

/* How structs of the IDL are written down: one line a field. */

/* A field of the C struct `Type` whose member has the IDL's name. */
#define AT(member) G_STRUCT_OFFSET (Type, member)
#define FIELD(id, kind, member, beside, type)                                                      \
  {                                                                                                \
#member, id, TALL_KIND_##kind, AT(member), beside, type                                        \
  }
#define ALWAYS(id, kind, member) FIELD (id, kind, member, TALL_STRUCT_ALWAYS, NULL)
#define OPTIONAL(id, kind, member) FIELD (id, kind, member, AT (has_##member), NULL)
#define STRUCT(id, member, type) FIELD (id, STRUCT, member, TALL_STRUCT_ALWAYS, &type)
#define STRUCTS(id, member, type) FIELD (id, STRUCTS, member, AT (n_##member), &type)
#define NAMED(id, kind, name, member)                                                              \
  {                                                                                                \
    name, id, TALL_KIND_##kind, AT (member), TALL_STRUCT_ALWAYS, NULL                              \
  }
#define TEXTS(id, member) FIELD (id, TEXTS, member, AT (n_##member), NULL)
/* Not shown in the paths of errors, which begin inside of it. */
#define OUTER(id, member, type)                                                                    \
  {                                                                                                \
    NULL, id, TALL_KIND_STRUCT, AT (member), TALL_STRUCT_ALWAYS, &type                             \
  }

/* A struct of which a header says that it is there, `Type` in memory, by its fields. */
#define IDL_SHARED_STRUCT(identifier, shown_name, ...)                                             \
  static const TallStructField identifier##_fields[] = { __VA_ARGS__ };                            \
  TALL_STRUCT_TYPE (identifier, shown_name, Type)
/* One of which a list in a call has at most 1,000. */
#define IDL_SHARED_ITEM(identifier, shown_name, ...)                                               \
  static const TallStructField identifier##_fields[] = { __VA_ARGS__ };                            \
  TALL_STRUCT_TYPE (identifier, shown_name, Type, .max_elements = TALL_IDL_MANY_ITEMS)
/* The same of the file. */
#define IDL_STRUCT(identifier, shown_name, ...)                                                    \
  static const TallStructField identifier##_fields[] = { __VA_ARGS__ };                            \
  static TALL_STRUCT_TYPE (identifier, shown_name, Type)
#define IDL_ITEM(identifier, shown_name, ...)                                                      \
  static const TallStructField identifier##_fields[] = { __VA_ARGS__ };                            \
  static TALL_STRUCT_TYPE (identifier, shown_name, Type, .max_elements = TALL_IDL_MANY_ITEMS)
