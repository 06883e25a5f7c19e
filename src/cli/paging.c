/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/paging.h"
#include "tall-error.h"
#include "tall-json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "base/text.h"

void
tall_paging_clear (TallPaging *self)
{
  g_clear_pointer (&self->from, g_free);
  g_clear_pointer (&self->to, g_free);
  g_clear_pointer (&self->page, g_free);
}

static gboolean
check_date (const char *option, const char *text, gboolean *has, gint64 *date, GError **error)
{
  g_autoptr (GError) local = NULL;
  *has = text != NULL;
  if (text == NULL || tall_date_parse (text, date, &local))
    return TRUE;
  tall_error_set_invalid (error, option, "--%s: %s", option, local->message);
  return FALSE;
}

/**
 * tall_paging_check:
 * @options: (out caller-allocates): what to ask the front for; points into @self
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, naming the option, if one is wrong
 */
gboolean
tall_paging_check (const TallPaging *self, TallListOptions *options, GError **error)
{
  *options = (TallListOptions){ .page = self->page };
  if (!check_date ("from", self->from, &options->has_from, &options->from, error)
      || !check_date ("to", self->to, &options->has_to, &options->to, error))
    return FALSE;
  if (options->has_from && options->has_to && options->from >= options->to)
    {
      tall_error_set_invalid (error, "to",
                              "--to %s must be later than --from %s: it is the first date that is "
                              "no longer listed",
                              self->to, self->from);
      return FALSE;
    }
  gboolean given = self->limit != G_MININT;
  if (given && (self->limit < 1 || self->limit > TALL_MAX_PAGE))
    {
      tall_error_set_invalid (error, "limit", "--limit takes 1 to %d", TALL_MAX_PAGE);
      return FALSE;
    }
  if (self->page != NULL && *self->page == '\0')
    {
      tall_error_set_invalid (error, "page",
                              "--page takes the token of a page; leave it out for "
                              "the first");
      return FALSE;
    }
  options->limit = given ? (guint)self->limit : self->all ? TALL_MAX_PAGE : 0;
  return TRUE;
}

/**
 * tall_paging_turn:
 * @page: (inout): owns the token that @options points to
 * @next_page: (nullable): token of the page after the one just printed
 *
 * Returns: TRUE if that page is to be fetched, too; @options then asks for it
 */
gboolean
tall_paging_turn (const TallPaging *self,
                  TallListOptions *options,
                  char **page,
                  const char *next_page)
{
  if (!self->all || next_page == NULL)
    return FALSE;
  char *kept = g_strdup (next_page);
  g_free (*page);
  options->page = *page = kept;
  return TRUE;
}

static void
append_word (GString *line, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_=+:,./@%";
  g_autofree char *quoted =
      *word != '\0' && word[strspn (word, plain)] == '\0' ? g_strdup (word) : g_shell_quote (word);
  g_string_append_printf (line, " %s", quoted);
}

/**
 * tall_paging_print_next:
 * @next_page: (nullable): token of the next page; nothing is printed without one
 *
 * Prints the command line that lists the next page: that of this one, with another token.
 */
void
tall_paging_print_next (const TallPaging *self, const char *next_page)
{
  if (next_page == NULL || self->all)
    return;
  g_autoptr (GString) line = g_string_new ("tallorder");
  g_autofree char *option = g_strdup_printf ("--page=%s", next_page);
  append_word (line, self->argv[0]);
  gboolean ended = FALSE;
  for (char **word = self->argv + 1; *word != NULL; word++)
    {
      if (!ended && g_str_equal (*word, "--"))
        {
          append_word (line, option);
          ended = TRUE;
        }
      if (!ended && g_str_equal (*word, "--page") && word[1] != NULL)
        word++;
      else if (ended || !g_str_has_prefix (*word, "--page="))
        append_word (line, *word);
    }
  if (!ended)
    append_word (line, option);
  g_autofree char *clean = tall_text_clean (line->str);
  tall_print_styled (TALL_STYLE_DIM, "Next page: ");
  tall_print ("%s\n", clean);
}

/**
 * tall_paging_fail:
 *
 * Prints why a listing failed; a token that does not belong to it is a wrong call.
 */
TallExit
tall_paging_fail (const TallCommand *command, const GError *error)
{
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID)
      && g_strcmp0 (tall_error_get_field (error), "page") == 0)
    return tall_usage_error (command, "--page: %s", error->message);
  return tall_fail (error);
}
