"""Ratings by people, from a file or from the study's own page: rows of the track ``human``."""
