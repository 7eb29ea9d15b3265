"""The numbers by which `typeset` decides whether an edit is delivered, and where each comes from.

*Fitted*: chosen so that judged edits fall on the right side, of 228 instances in four sets that
were drawn for it in November 2026. *Argued*: chosen from what the number means, and looked at again
on those sets. `perf/typeset_topics.py` fits without one topic and tries the number on it, and shows
what changes where a number is halved or doubled.
"""

from __future__ import annotations

# --- is it the text that is meant? ----------------------------------------------------------------

SURE = 0.9
"""The least similarity of a quoted text to what was read, and edited. Argued: one letter in ten may
be misread; "open" for "oven" is another word.
"""

# --- would new letters look like the old? ---------------------------------------------------------

LIKE = 0.86
"""The least likeness of an installed face's letters to the picture's, of a text that is set anew as
a whole. Argued: five verdicts do not tell (DejaVu Sans Condensed for Roboto was taken at 0.867,
another face for Roboto was not at 0.914); below it faces are of another kind.
"""
LIKE_BESIDE = 0.95
"""The same beside letters that stay, where another face is seen at once. Fitted to eleven verdicts:
what people took for the same face began at 0.969, what they did not ended at 0.94. The true face
reaches it in nine of ten texts of 36 pixels an em, and at 18 pixels in fewer than half: small
letters are handed back too often.
"""
AS_HEAVY = (0.75, 1.35)
"""How much more ink than the face at its size the picture's letters may have. Argued: DejaVu Sans
Bold has 1.5 times the ink of Book in the same box.
"""
AS_HEAVY_BESIDE = (0.88, 1.15)
"""The same beside letters that stay. Argued: half of such a step is seen."""
STRETCHED = (0.66, 1.5)
"""How much narrower or wider than drawn a face may be set. Argued: beyond this are condensed and
extended faces, which have other letters.
"""

# --- can the ground be made up? -------------------------------------------------------------------

DOUBT = 12.0
"""Levels of 255 by which made-up ground may be off, told at known pixels around. Argued: the
grain of paper and of JPEG is below it, folds and stripes are above.
"""
GROUND = 32.0
"""Levels of 255 within which two pixels are of one ground. Argued: grain stays below it, a second
colour does not. Pale edges are told by `STEP`.
"""
LEAST_GROUND = 40
"""Pixels of ground from which a share can be told. Argued: one pixel is then 2.5 %."""

# --- is the result what was asked for? ------------------------------------------------------------

READ = 0.75
"""The least similarity of a text that was set to what is read of it. Argued: engines misread one
letter of four in short texts and ornate faces; a missing word is below it.
"""
KEPT = 0.9
"""The same for the words beside an edited one, in its own line, which were read before. Argued."""
STILL = 0.6
"""The least similarity of a line that had to stay, and lies where pixels changed, to what is read
there. Argued: engines join and cut lines when a neighbour changes; pixels are compared, too
(`TOUCHED`).
"""
TOUCHED = 0.005
"""The part of a line's middle that may change where the line has to stay. Argued: soft edges of a
neighbour's ink, no letter.
"""
STRAY = 0.15
"""The share of changed pixels that may lie away from every text concerned. Argued: what an engine's
boxes leave out of a text, such as a swash.
"""
FAINT = 0.35
"""The least contrast of a text to its ground, as a part of what it had before. Argued: black
that moves from white to navy keeps 0.18 and is not seen.
"""
COVERED = 0.3
"""The part of a line that a new text's box may lie on. Argued: boxes of close lines overlap
where no ink does.
"""
CROWDED = 0.1
"""Of a line's height: how far into its box, which an engine draws around its letters, new ink may
reach. Argued.
"""
STAINED = 0.06
"""The part of the place that a text left which may be unlike the ground around. Argued: specks
that no compression makes.
"""
REMAINS = 0.15
"""The part of a text's ink that may stay when the text goes. Argued: of thin letters
soft edges are as much.
"""

# --- does it lie where a text may lie? ------------------------------------------------------------

STEP = 2.5
"""Levels of 255 a pixel from which a ground rises steeply. Argued: a hair line of 17 levels rises
by 4 after the blur of 1 pixel, a gradient over the picture by less than 1.
"""
ABOVE_GRAIN = 4.0
"""How many times steeper than most of the ground around an edge is. Argued: of noise
alone fewer than one pixel in ten thousand is.
"""
EDGE_LENGTH = 0.6
"""Of a text's height: how long an edge or a line is, and not a grain. Argued."""
MARGIN = 0.15
"""Of a text's height: what stays free between a text and an edge. Argued: less is taken for a
touch.
"""
BADGE = 0.1
"""The part of the picture that a badge or a button takes, at most. Argued: a card or a sign takes
more, and a text may be moved off it.
"""
ACROSS = 0.1
"""The part of a text that may lie on other ground than the rest of it. Argued."""
ON_OTHER = 0.04
"""The part of the place of new ink, and `RIM` pixels around, that may be no plain ground. Argued:
JPEG's ringing, no line.
"""
RIM = 3
"""Pixels around new ink that have to be ground. Argued: less is taken for a touch at any size."""
PLAIN = 0.01
"""The part of a ground that may be of other colours where it is called plain. Argued: dust."""
MIXED = 0.4
"""The part of a ground that is of other colours from which it is no one ground. Argued: with half
of it, which colour is the ground is chance.
"""
SLANTED = 0.07
"""The slope of a line (4 degrees) from which its upright box holds much beside it. Argued: the box
of a line of ten letters is then a third higher than the line.
"""
TILTED = 15.0
"""Degrees above which an engine is not asked to read a turned text again. Argued: engines are made
for level text, and a turned one that is not read tells nothing.
"""
