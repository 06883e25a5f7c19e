-- Shopify's export of orders. A row is a line; what the order has is only in its first row. The
-- discount of a line is an amount. A zip may have an apostrophe before it.
SELECT last_filled("Email") OVER o AS customer_number,
       "Name" AS order_number,
       date_of(last_filled("Created at") OVER o, '%Y-%m-%d %H:%M:%S %z') AS sales_date,
       last_filled("Currency") OVER o AS currency,
       last_filled("Financial Status") OVER o AS "attribute.financial_status",
       last_filled("row" ->> 'Fulfillment Status') OVER o AS "attribute.fulfillment_status",
       last_filled("row" ->> 'Paid at') OVER o AS "attribute.paid_at",
       last_filled("row" ->> 'Cancelled at') OVER o AS "attribute.cancelled_at",
       last_filled("row" ->> 'Discount Code') OVER o AS "attribute.discount_code",
       last_filled("row" ->> 'Discount Amount') OVER o AS "attribute.discount_amount",
       last_filled("row" ->> 'Refunded Amount') OVER o AS "attribute.refunded_amount",
       last_filled("Shipping") OVER o AS "attribute.shipping",
       last_filled("Taxes") OVER o AS "attribute.taxes",
       last_filled("Total") OVER o AS "attribute.total",
       last_filled("Shipping Name") OVER o AS "location.name",
       last_filled("Shipping Street") OVER o AS "location.address.line1",
       last_filled("Shipping City") OVER o AS "location.address.city",
       last_filled("Shipping Province") OVER o AS "location.address.state",
       ltrim(last_filled("Shipping Zip") OVER o, '''') AS "location.address.zip",
       last_filled("Shipping Country") OVER o AS "location.address.country",
       "Lineitem sku" AS "line.item_number",
       "Lineitem name" AS "line.description",
       "Lineitem quantity" AS "line.quantity",
       "Lineitem price" AS "line.price",
       discount_rate("Lineitem discount", "Lineitem price", "Lineitem quantity") AS "line.discount",
       line
FROM csv
WHERE "Lineitem name" <> ''
WINDOW o AS (PARTITION BY "Name" ORDER BY line)
