"""`fudaba up`, and the options that the commands of service and arena share."""
