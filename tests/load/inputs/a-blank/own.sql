-- The number of an order, too, is only in its first row.
SELECT last_filled("Email") OVER o AS customer_number,
       number AS order_number,
       date_of(last_filled("Created at") OVER o, '%Y-%m-%d %H:%M:%S %z') AS sales_date,
       last_filled("Financial Status") OVER o AS "attribute.status",
       "Lineitem sku" AS "line.item_number",
       "Lineitem name" AS "line.description",
       "Lineitem quantity" AS "line.quantity",
       "Lineitem price" AS "line.price",
       line
FROM (SELECT *, line, last_filled("Name") OVER (ORDER BY line) AS number FROM csv)
WINDOW o AS (PARTITION BY number ORDER BY line)
