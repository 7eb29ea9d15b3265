"""The human study: assignment, the page people rate on, agreement."""
