/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/field.h"
#include "load/csv/reader.h"
#include "tall-arena.h"

G_BEGIN_DECLS

typedef enum
{
  TALL_MAPPING_ORDERS,
  TALL_MAPPING_CUSTOMERS,
} TallMappingKind;

/* Where the value of one field comes from. */
typedef struct
{
  const TallCsvField *field;
  const char *part;   /* of which attribute, or kind of adjustments; NULL: of none */
  const char *column; /* name in the header, or several (#TallCsvComposite); NULL: only @fallback */
  gint index;         /* of the column, from 0; -1: none, or not bound yet */
  const char *fallback; /* for an empty column; NULL: none */
} TallMappingSource;

/* The column of a query's result that says which row of a file it comes from. */
#define TALL_MAPPING_LINE "line"

/* Which column feeds which field, and how the file writes values; see README.md for the file's
 * form. Made by tall_mapping_load(); after tall_mapping_bind() it does not change any more, so that
 * any thread may read it. */
typedef struct
{
  TallArena *arena; /* of all texts and sources */
  const char *name; /* of the preset or file, for messages */
  TallMappingKind kind;
  const char *sql; /* the query; NULL: columns of the file feed fields */
  char **columns;  /* of its result, once it is bound; NULL-terminated */
  TallCsvDialect dialect;
  gint delimiter;         /* of @dialect: its position in TALL_DELIMITERS */
  gboolean has_no_header; /* the mapping names its columns */
  TallValueFormat format;
  gboolean keep_empty;                /* an empty column is an empty text, not an absent one */
  gboolean across_files;              /* what is loaded has orders that go on in another file */
  GPtrArray *sources;                 /* of TallMappingSource */
  GPtrArray *of_scope[TALL_N_SCOPES]; /* the same by their scope; not owned */
  GPtrArray *composites; /* of TallCsvComposite, whose indices follow those of the columns */
} TallMapping;

TallMapping *tall_mapping_load (const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallMapping *tall_mapping_parse (const char *name, const char *text, gssize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
TallMapping *tall_mapping_parse_sql (const char *name, const char *text, gssize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_mapping_take_kind (TallMapping *self,
                                 const char *kind,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_mapping_free (TallMapping *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMapping, tall_mapping_free)

gboolean tall_mapping_bind (TallMapping *self,
                            const char *const *columns,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_mapping_bind_reader (TallMapping *self,
                                   TallCsvReader *reader,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_mapping_bind_result (TallMapping *self,
                                   const char *const *columns,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv tall_mapping_list_unused (const TallMapping *self, const char *const *columns);
const char *tall_mapping_get_value_of_empty (const TallMapping *self,
                                             const TallMappingSource *source,
                                             const char *text);

const char *const *tall_mapping_presets (void);
char *tall_mapping_preset_text (const char *name);

static inline TallMappingSource *
tall_mapping_get_source (const TallMapping *self, guint i)
{
  return g_ptr_array_index (self->sources, i);
}

static inline guint
tall_mapping_count_sources (const TallMapping *self, TallCsvScope scope)
{
  return self->of_scope[scope]->len;
}

static inline const TallMappingSource *
tall_mapping_get_source_of (const TallMapping *self, TallCsvScope scope, guint i)
{
  return g_ptr_array_index (self->of_scope[scope], i);
}

/* @fields: a row's fields, @n_fields of them. Returns: (nullable): the text for a field; NULL if it
 * is absent */
static inline const char *
tall_mapping_get_value (const TallMapping *self,
                        const TallMappingSource *source,
                        const char *const *fields,
                        guint n_fields)
{
  const char *text = NULL;
  if (source->index >= 0 && (guint)source->index < n_fields)
    text = fields[source->index];
  return text != NULL && *text != '\0' ? text
                                       : tall_mapping_get_value_of_empty (self, source, text);
}

static inline const char *
tall_mapping_read (const TallMapping *self, const TallMappingSource *source, const TallCsvRow *row)
{
  return tall_mapping_get_value (self, source, row->fields, row->n_fields);
}

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
