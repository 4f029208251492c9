"""The page at `GET /`: try every service from a browser, without a build step and without anything from elsewhere."""
