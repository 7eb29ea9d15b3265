"""Scores of text that an OCR engine reads in a picture, of replaced, deleted and inserted text."""
