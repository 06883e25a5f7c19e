/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/json-item.h"
#include "tall-error.h"
#include "tall-json.h"

#include <string.h>

void
tall_json_item_clear (TallJsonItem *self)
{
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_pointer (&self->customer, tall_customer_free);
  g_clear_error (&self->error);
}

/**
 * tall_json_strip:
 *
 * Returns: the text without white space around it
 */
TallSlice
tall_json_strip (TallSlice text)
{
  while (text.len > 0 && g_ascii_isspace (text.data[text.len - 1]))
    text.len--;
  while (text.len > 0 && g_ascii_isspace (text.data[0]))
    text = tall_slice (text.data + 1, text.len - 1);
  return text;
}

/* If @text is `{"NAME": …}`, makes it what stands there. */
static gboolean
unwrap (TallSlice *text, const char *name)
{
  g_autofree char *key = g_strdup_printf ("\"%s\"", name);
  TallSlice rest = tall_json_strip (*text);
  if (rest.len < 2 || rest.data[0] != '{' || rest.data[rest.len - 1] != '}')
    return FALSE;
  rest = tall_json_strip (tall_slice (rest.data + 1, rest.len - 2));
  if (!tall_slice_has_prefix (rest, tall_slice_str (key)))
    return FALSE;
  rest = tall_json_strip (tall_slice (rest.data + strlen (key), rest.len - strlen (key)));
  if (rest.len == 0 || rest.data[0] != ':')
    return FALSE;
  *text = tall_json_strip (tall_slice (rest.data + 1, rest.len - 1));
  return TRUE;
}

/* An order where a customer is expected, or the other way round: who gave it should know what takes
 * it. */
static void
explain_kind (TallSlice text, gboolean is_customer, GError **error)
{
  const char *start = (const char *)text.data;
  g_autoptr (TallOrder) order =
      is_customer ? tall_order_from_json (start, (gssize)text.len, NULL) : NULL;
  g_autoptr (TallCustomer) customer =
      is_customer ? NULL : tall_customer_from_json (start, (gssize)text.len, NULL);

  if (order == NULL && customer == NULL)
    return;
  g_clear_error (error);
  tall_error_set_invalid (error, is_customer ? "customer" : "order",
                          is_customer ? "this is an order: tallorder put takes it, or write it as "
                                        "{\"order\": ...}"
                                      : "this is a customer: tallorder customer put takes it, or "
                                        "write it as {\"customer\": ...}");
}

/**
 * tall_json_item_parse:
 * @text: without white space around it
 * @kind: what an object without wrapping is
 *
 * Makes an empty item an order or a customer, or says in it why that cannot be.
 */
void
tall_json_item_parse (TallJsonItem *self, TallSlice text, TallJsonKind kind)
{
  gboolean is_customer = unwrap (&text, "customer");
  gboolean is_plain = !is_customer && !unwrap (&text, "order");
  if (is_plain)
    is_customer = kind == TALL_JSON_CUSTOMERS;

  const char *start = (const char *)text.data;
  if (is_customer)
    self->customer = tall_customer_from_json (start, (gssize)text.len, &self->error);
  else
    self->order = tall_order_from_json (start, (gssize)text.len, &self->error);
  if (is_plain && self->error != NULL)
    explain_kind (text, is_customer, &self->error);
}
