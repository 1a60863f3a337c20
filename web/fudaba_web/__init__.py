"""The gateway: the contract for browsers and scripts, over HTTP/1.1 and HTTP/2, by one process that holds nothing."""
