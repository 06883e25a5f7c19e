-- Shopify's export of orders. A row is a line; what the order has is only in its first row. The
-- discount of a line is an amount. A zip may have an apostrophe before it. Codes are in the subtotal:
-- what it is less than the lines is their discount. Taxes may be in the prices, and are none of the
-- total then; what it has beyond taxes is a fee, such as a tip. The customer is the last e-mail of the
-- order. An order that is there twice has two totals, and more lines than they are of.
SELECT CASE WHEN totals > 1
                 AND coalesce(dec_cmp(dec_sub(dec_div(lines, '1000', 3), coalesce(codes, '0')),
                                      subtotal), 1) <> 0
            THEN reject('the order is there more than once')
            ELSE customer_number END AS customer_number,
       order_number,
       sales_date,
       currency,
       financial_status AS "attribute.financial_status",
       fulfillment_status AS "attribute.fulfillment_status",
       paid_at AS "attribute.paid_at",
       cancelled_at AS "attribute.cancelled_at",
       discount_code AS "attribute.discount_code",
       dec_sub(dec_div(lines, '1000', 3), subtotal) AS discount_amount,
       shipping AS "adjustment.shipping",
       CASE WHEN dec_cmp(rest, taxes) >= 0 THEN taxes END AS "adjustment.tax",
       CASE WHEN dec_cmp(rest, taxes) >= 0 THEN dec_sub(rest, taxes) ELSE rest END
         AS "adjustment.fee",
       refunded AS refund_amount,
       billing_street AS "billing_address.line1",
       billing_city AS "billing_address.city",
       billing_province AS "billing_address.state",
       ltrim(billing_zip, '''') AS "billing_address.zip",
       billing_country AS "billing_address.country",
       shipping_name AS "location.name",
       shipping_street AS "location.address.line1",
       shipping_city AS "location.address.city",
       shipping_province AS "location.address.state",
       ltrim(shipping_zip, '''') AS "location.address.zip",
       shipping_country AS "location.address.country",
       "Lineitem sku" AS "line.item_number",
       "Lineitem name" AS "line.description",
       "Lineitem quantity" AS "line.quantity",
       "Lineitem price" AS "line.price",
       "Lineitem discount" AS "line.discount_amount",
       line
FROM (SELECT last_filled("Email") OVER whole AS customer_number,
             "Name" AS order_number,
             date_of(last_filled("Created at") OVER o, '%Y-%m-%d %H:%M:%S %z') AS sales_date,
             last_filled("Currency") OVER o AS currency,
             last_filled("Financial Status") OVER o AS financial_status,
             last_filled("row" ->> 'Fulfillment Status') OVER o AS fulfillment_status,
             last_filled("row" ->> 'Paid at') OVER o AS paid_at,
             last_filled("row" ->> 'Cancelled at') OVER o AS cancelled_at,
             last_filled("row" ->> 'Discount Code') OVER o AS discount_code,
             sum(CAST(dec_mul(dec_sub(dec_mul("Lineitem price", "Lineitem quantity"),
                                      coalesce(nullif("Lineitem discount", ''), '0')),
                              '1000', 0) AS INTEGER)) OVER (PARTITION BY file, "Name") AS lines,
             last_filled("row" ->> 'Discount Amount') OVER whole AS codes,
             count(nullif("Total", '')) OVER whole AS totals,
             last_filled("Subtotal") OVER o AS subtotal,
             last_filled("Shipping") OVER o AS shipping,
             last_filled("Taxes") OVER o AS taxes,
             dec_sub(dec_sub(last_filled("Total") OVER o, last_filled("Subtotal") OVER o),
                     last_filled("Shipping") OVER o) AS rest,
             last_filled("row" ->> 'Refunded Amount') OVER o AS refunded,
             last_filled("row" ->> 'Billing Street') OVER o AS billing_street,
             last_filled("row" ->> 'Billing City') OVER o AS billing_city,
             last_filled("row" ->> 'Billing Province') OVER o AS billing_province,
             last_filled("row" ->> 'Billing Zip') OVER o AS billing_zip,
             last_filled("row" ->> 'Billing Country') OVER o AS billing_country,
             last_filled("Shipping Name") OVER o AS shipping_name,
             last_filled("Shipping Street") OVER o AS shipping_street,
             last_filled("Shipping City") OVER o AS shipping_city,
             last_filled("Shipping Province") OVER o AS shipping_province,
             last_filled("Shipping Zip") OVER o AS shipping_zip,
             last_filled("Shipping Country") OVER o AS shipping_country,
             "Lineitem sku", "Lineitem name", "Lineitem quantity", "Lineitem price",
             "Lineitem discount", line
      FROM csv
      WHERE "Lineitem name" <> ''
      WINDOW o AS (PARTITION BY file, "Name" ORDER BY line),
             whole AS (PARTITION BY file, "Name" ORDER BY line
                       ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
