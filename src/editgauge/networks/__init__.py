"""Networks and what they need: weights as data, loading with checksums, features computed once."""
