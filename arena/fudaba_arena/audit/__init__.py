"""A tournament's export, and what anybody can check in it without a service, a store or trust in either."""
