/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-names.h"

#include <string.h>

/* What columns are usually called, in English, German and French, the surest first; without capital
 * letters and anything between letters. */
static const struct
{
  TallCsvScope scope;
  const char *field;
  const char *names;
} known[] = {
  { TALL_SCOPE_ORDER, "order_number",
    "orderid ordernumber orderno ordernr order orderref invoiceno invoicenumber invoiceid invoice "
    "bestellnummer bestellnr bestellung auftragsnummer auftragsnr auftrag rechnungsnummer "
    "rechnungsnr rechnung numerodecommande commande" },
  { TALL_SCOPE_ORDER, "customer_number",
    "customerid customernumber customerno customernr customer custid clientid accountnumber "
    "kundennummer kundennr kundenid kunde numeroclient client userid buyerid" },
  { TALL_SCOPE_ORDER, "sales_date",
    "orderdate salesdate saledate invoicedate orderpurchasetimestamp purchasedate bestelldatum "
    "auftragsdatum rechnungsdatum datum datedecommande orderedat createdat date timestamp" },
  { TALL_SCOPE_ORDER, "currency", "currency currencycode waehrung währung devise" },
  { TALL_SCOPE_LOCATION, "number", "locationnumber locationno shippinglocation" },
  { TALL_SCOPE_LOCATION, "name",
    "shipname shiptoname shippingname recipient lieferscheinname empfaenger empfänger" },
  { TALL_SCOPE_LOCATION, "address.line1",
    "shipaddress shipaddress1 shipstreet shippingaddress shiptoaddress address address1 street "
    "strasse straße lieferstrasse adresse" },
  { TALL_SCOPE_LOCATION, "address.line2", "shipaddress2 address2 adresszusatz" },
  { TALL_SCOPE_LOCATION, "address.city", "shipcity shippingcity shiptocity city ort stadt ville" },
  { TALL_SCOPE_LOCATION, "address.state",
    "shipregion shipstate shippingstate state region bundesland province" },
  { TALL_SCOPE_LOCATION, "address.zip",
    "shippostalcode shipzip shippingzip postalcode zip zipcode postcode plz postleitzahl "
    "codepostal" },
  { TALL_SCOPE_LOCATION, "address.country",
    "shipcountry shippingcountry shiptocountry country land pays" },
  { TALL_SCOPE_LOCATION, "ship_date",
    "shippeddate shipdate shippingdate shippedat versanddatum lieferdatum" },
  { TALL_SCOPE_LINE, "number",
    "lineno linenumber lineitemnumber orderitemid positionsnummer position pos" },
  { TALL_SCOPE_LINE, "item_number",
    "itemnumber itemno itemid stockcode sku productid productcode productno articleno "
    "articlenumber artikelnummer artikelnr reference item product artikel" },
  { TALL_SCOPE_LINE, "description",
    "description itemdescription productname itemname bezeichnung artikelbezeichnung "
    "beschreibung designation" },
  { TALL_SCOPE_LINE, "quantity", "quantity qty menge anzahl stueck stück quantite" },
  { TALL_SCOPE_LINE, "price", "unitprice price itemprice einzelpreis stueckpreis preis prix" },
  { TALL_SCOPE_LINE, "discount", "discount rabatt remise" },
  { TALL_SCOPE_CUSTOMER, "number",
    "customerid customernumber customerno customernr custid clientid accountnumber kundennummer "
    "kundennr kundenid numeroclient customer number id" },
  { TALL_SCOPE_CUSTOMER, "name", "companyname customername company firma firmenname nom name" },
  { TALL_SCOPE_CUSTOMER, "address.line1", "address address1 street strasse straße adresse" },
  { TALL_SCOPE_CUSTOMER, "address.line2", "address2 adresszusatz" },
  { TALL_SCOPE_CUSTOMER, "address.city", "city ort stadt ville" },
  { TALL_SCOPE_CUSTOMER, "address.state", "state region bundesland province" },
  { TALL_SCOPE_CUSTOMER, "address.zip",
    "postalcode zip zipcode postcode plz postleitzahl codepostal" },
  { TALL_SCOPE_CUSTOMER, "address.country", "country land pays" },
  { TALL_SCOPE_CUSTOMER, "phones", "phone phones telephone phonenumber telefon tel" },
  { TALL_SCOPE_CUSTOMER, "email", "email emailaddress mail" },
};

/* Returns: (transfer full): small letters and digits of a column's name only */
char *
tall_sniff_normalize (const char *column)
{
  g_autofree char *lower = g_utf8_strdown (column, -1);
  g_autoptr (GString) name = g_string_new (NULL);
  for (const char *at = lower; *at != '\0'; at = g_utf8_next_char (at))
    if (g_unichar_isalnum (g_utf8_get_char (at)))
      g_string_append_unichar (name, g_utf8_get_char (at));
  return g_string_free (g_steal_pointer (&name), FALSE);
}

/**
 * tall_sniff_names:
 * @rank: (out): 0 for the surest name
 *
 * Returns: whether a column of that name usually holds that field
 */
gboolean
tall_sniff_names (const TallCsvField *field, const char *column, guint *rank)
{
  g_autofree char *name = tall_sniff_normalize (column);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      if (known[i].scope != field->scope || !g_str_equal (known[i].field, field->name))
        continue;
      g_auto (GStrv) names = g_strsplit (known[i].names, " ", -1);
      for (*rank = 0; names[*rank] != NULL; (*rank)++)
        if (g_str_equal (names[*rank], name))
          return TRUE;
    }
  return FALSE;
}
