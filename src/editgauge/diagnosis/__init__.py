"""Why an edit failed: where a model looked (attention) and where it changed the picture, against
where it should have. Rows of the track ``diagnosis``, like any others.
"""
