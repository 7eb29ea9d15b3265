"""A file of DuckDB views beside a run's Parquet files: what a query by hand should read.

The raw file has a row for every score that was asked for, an infinite PSNR has no value in it, and
files of earlier states may lie beside it until nobody reads them. The views name the one current
file, and give every number with what is missing beside it.
"""

from __future__ import annotations

from pathlib import Path

from editgauge.errors import RunError
from editgauge.store import paths

NAME = "views.sql"
_SQL = """-- Views of this run's rows for DuckDB, made by editgauge again when rows change.
--   SET VARIABLE run = 'runs/first';          -- where this run lies
--   .read runs/first/rows/parquet/views.sql   -- from Python: db.execute(open(...).read())
-- scores: every score, infinite ones as 'infinity'. failures: what has no score, and why.
-- means: for each editor and metric the mean over samples (repeats averaged), n samples scored of
-- asked samples that the metric is defined for, and whether n is short of that.
CREATE OR REPLACE TEMP VIEW every_row AS
  SELECT * FROM read_parquet(getvariable('run') || '/rows/parquet/{name}')
  QUALIFY row_number() OVER (
    PARTITION BY benchmark, sample, editor, scorer, metric, variant, source, repeat
    ORDER BY status <> 'scored') = 1;
CREATE OR REPLACE TEMP VIEW scores AS
  SELECT * EXCLUDE (value, status, reason),
    CASE WHEN value IS NULL THEN 'infinity'::DOUBLE ELSE value END AS value
  FROM every_row WHERE status = 'scored';
CREATE OR REPLACE TEMP VIEW failures AS
  SELECT * EXCLUDE (value) FROM every_row WHERE status <> 'scored';
CREATE OR REPLACE TEMP VIEW means AS
  WITH by_sample AS (
    SELECT benchmark, editor, metric, variant, source, sample,
      avg(CASE WHEN value IS NULL THEN 'infinity'::DOUBLE ELSE value END)
        FILTER (status = 'scored') AS value,
      bool_and(status IN ('not_applicable', 'dataset_fault')) AS undefined
    FROM every_row GROUP BY ALL)
  SELECT benchmark, editor, metric, variant, source, avg(value) AS mean, count(value) AS n,
    count(*) FILTER (NOT undefined) AS asked, n < asked AS short
  FROM by_sample GROUP BY benchmark, editor, metric, variant, source;
"""


def write_views(run: Path, folder: str, parquet: str) -> None:
    """Write the views of a Parquet file into its folder in the run, where they are not there yet.
    Raises as `paths.write`.
    """
    text = _SQL.replace("{name}", parquet).encode()
    try:
        known = paths.read(run / folder / NAME) == text
    except (OSError, RunError):
        known = False
    if not known:
        paths.write(run, f"{folder}/{NAME}", text)
