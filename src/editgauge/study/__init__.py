"""The human study: ratings by people, how far they agree, and what a few of them are worth.

Ratings come from a file (`reading`) or from the study's own page (`server`); both end as rows of
the track ``human``. `agreement` compares people with each other and with every metric of the run;
`calibration` corrects many judge scores by few ratings; `decision` stops a judge early.
"""
