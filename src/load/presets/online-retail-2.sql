-- UCI's “Online Retail II”. Numbers of customers have “.0” behind them, and the rows of an invoice
-- may have several minutes, of which the first counts. Rows without a customer are rejected; to keep
-- them, write ifnull(nullif("Customer ID", ''), 'GUEST').
SELECT CAST(nullif("Customer ID", '') AS INTEGER) AS customer_number,
       "Invoice" AS order_number,
       first_value("InvoiceDate") OVER i AS sales_date,
       'GBP' AS currency,
       "Country" AS "location.address.country",
       "StockCode" AS "line.item_number",
       "Description" AS "line.description",
       "Quantity" AS "line.quantity",
       "Price" AS "line.price",
       line
FROM csv
WINDOW i AS (PARTITION BY "Invoice" ORDER BY line)
