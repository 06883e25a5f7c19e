-- load: delimiter=tab quotes=none
-- load orders: header=none columns=SalesOrderID;RevisionNumber;OrderDate;DueDate;ShipDate;Status;OnlineOrderFlag;SalesOrderNumber;PurchaseOrderNumber;AccountNumber;CustomerID;SalesPersonID;TerritoryID;BillToAddressID;ShipToAddressID;ShipMethodID;CreditCardID;CreditCardApprovalCode;CurrencyRateID;SubTotal;TaxAmt;Freight;TotalDue;Comment;rowguid;ModifiedDate
-- load lines: header=none columns=SalesOrderID;SalesOrderDetailID;CarrierTrackingNumber;OrderQty;ProductID;SpecialOfferID;UnitPrice;UnitPriceDiscount;LineTotal;rowguid;ModifiedDate
-- AdventureWorks, the files of its installation script:
--   load … orders=SalesOrderHeader.csv lines=SalesOrderDetail.csv
-- An order without lines is rejected, and lines without their order are.
SELECT orders.CustomerID AS customer_number,
       orders.SalesOrderNumber AS order_number,
       orders.OrderDate AS sales_date,
       orders.PurchaseOrderNumber AS "attribute.purchase_order",
       orders.AccountNumber AS "attribute.account",
       orders.TaxAmt AS "attribute.tax",
       orders.Freight AS "attribute.freight",
       orders.ShipDate AS "location.ship_date",
       lines.ProductID AS "line.item_number",
       lines.OrderQty AS "line.quantity",
       lines.UnitPrice AS "line.price",
       lines.UnitPriceDiscount AS "line.discount",
       coalesce(lines.line, orders.line) AS line
FROM (SELECT SalesOrderID AS number FROM orders UNION SELECT SalesOrderID FROM lines) AS numbers
     LEFT JOIN orders ON orders.SalesOrderID = numbers.number
     LEFT JOIN lines ON lines.SalesOrderID = numbers.number
