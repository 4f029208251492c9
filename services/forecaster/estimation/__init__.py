"""Unstated numbers of records, estimated from the records that state them."""
