"""Edit and score: order, concurrency, retry, resume. The only loops over samples are here."""
