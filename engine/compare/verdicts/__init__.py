"""One judge a query: agree, explained with a proof, or unexplained."""
