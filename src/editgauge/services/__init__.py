"""Calls to other machines, once for all who make them: waiting, throttling, prices, downloads."""
