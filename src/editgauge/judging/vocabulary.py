"""The words of judges: those of what is seen in pictures, those that hold English together, and
those that may bear on a verdict. `remainder` says what each kind is good for.

A word is given once, in its plainest form; `kind_of` knows it with the usual endings as well.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache


def _words(text: str) -> list[str]:
    return text.split()


_SEEN = _words("""
abdomen absent accent acceptable accomplish accurate achieve acne action adapt add addition
additional adjacent adjust age air airy align all-over aloft alter alteration amateur ambient
ampersand anatomical anatomy angle animal ankle annex annotate antenna anyway aorta apostrophe
apparent appear apple apply april arch area arm arrange arrow art artefact artery artifact
artificial asphalt atmosphere august aura autumn awkward axis baby backdrop background backlit
bad badge bag baker bakery balance ball balloon banana band bandage bank banner bar barcode bare
barely bark barn barrel base baseline basket bat bath battery beach beak beam bear beard bed bee
believable belly belong belt bench bend bent bevel bicycle bike bill billboard biological bird
bite black blackboard bladder blade blank blanket blast bleach bled bleed blemish blend blob
block blond blonde blood bloom blossom blot blotch blotchy blouse blow blue blur blurry board
boat body boil bold bone book boot border botch bottle bottom boulder boundary bow bowl box
bracelet bracket brain branch brand bread break breast breath brick bridge bright brightness
bristle broad brochure broken bronchus brown bruise brush bubble bucket bud bug build building
bulb bulge bulk bullet bump bun bunch burn bus bush business butter butterfly button cabinet
cable cafe cake calcification calm camel camera candle candy canvas cap capital caption car
carbon card cardboard carina carpet carried carry cart cartoonish carve cast castle cat catheter
cave ceiling cell center centre ceramic chain chair chalk chalkboard change character charge
chart cheek cheese chemical chest chicken child children chin chip chocolate chop choppy church
cigarette circle circular city clarity claw clay clean cleanly clear clearly cliff clip cloak
clock clone close closely cloth clothe clothes clothing cloud clumsy cluster clutter coarse coat
coffee cohere coherence coherent cold collapse collar colon color colour column columns comb
combine comma compact compare complete completely component composition compress computer
condense cone conform connect considerable consist consistent conspicuous context continue
continuous contour contrast convert convince convincing convincingly cook cool copy coral corner
corridor corrode count counter cow crack cram cream crease create creature crescent crest crisp
crooked crop cross crowd crown crude crumb crust crystal cube cup curl currency current curtain
curvature curve cushion cut cut-out cyan cyst dagger dam damage dance dark darken dash date day
daylight debris decayed december decent decimal decorate deep deer defect deform degrade delete
deletion deliver dense density dent denture depth desert design desk detach detail detect
deviate deviation device diacritic diagonal diagram dial differ difference diffuse digit
digit-like dim direction dirt dirty disappear disc discernible discount dish disruption dissolve
distance distant distinct distort distortion distract disturb divider dog dog-ear doll dolphin
done door dot doubled draw drawn dress drift drink drip droplet drum dry duck duct dull
duplicate dust ear early earth edema edge effect effusion egg elbow electrode element elephant
elongate emblem embroider emerge emoji empty enamel end engine enlarge entire envelope
environment equal equals erase erode evaporate evening evenly evenness everything exact exactly
excellent excess exclamation execute exist expand explode expose exposure express expression
extend extra eye eyebrow fabric facade face faceted factual fade fail failed failure faint
fairly faithful fall false familiar farm fat faucet fault faultless feather feature february
feet female femur fence fern fibre fidelity field field-line fill film fine finger finish fire
fish fit five-pointed fix flag flame flap flare flash flat flatten flaw flawless flesh flip
float floor flour flow flower fluid fly flyer foam focal focus fog foil fold foliage follow font
food foot footer footnote forearm foreground forehead forest fork form fox fracture fragment
frame fraying freeze frequent fresh friday friend fringe frog front frost frozen fruit fulfil
fuse fuzz fuzzy gallbladder gap garbage garble garden garment gas gate gentle geometry germinate
ghost ghosting giant gingiva giraffe glance glare glass gleam glide glitch gloss glossy glove
glow glue glyph goat gold golden gone good gradient gradual graduation grain grainy grape graph
graphic grass gravel gravity gray grease great green grey grid groove ground group grow guitar
gum gun hair haircut half hallway halo hand handle handwriting hang happen happy hard hardly hat
hatch haze hazy head header headline heap heart heat heavy hedge heel height helmet hide hill
hinge hip hole hollow home hood horizon horizontal horn horse hospital hot hour house hue hull
hyphen ice icon identical identity ignite illegible illuminate imperceptible imperfect implant
implausible imprecise improper inaccurate incision incoherent incomplete inconsistent indistinct
infiltrate inflate ink insect insert insertion instrument intact integrate integrity intense
interrogation intestine intrude inverted invisible invoice iris iron island isolated italic item
ivory jacket jagged january jar jaw jawline jeans jelly jersey jewel jittery join joint juice
july jump june kept kern kernel kerning kettle keyboard kidney kite knee knife knot knowledge
label lace lack lacking lacks ladder lake lamb lamp land landscape lantern large lash lateral
launch lawn layer layout lead leaf leaflet leather leaves left leftover leg legend legible lemon
length lens lesion letter lettered letterform lettering level lid lifelike lift light lighten
lighting limb line lion lip liquid lit little liver lobe local locate lock log logically logo
long loose lose loss lost low-resolution lowercase luggage luminance lump lung magazine major
male man mane map marble march margin marked-off marquee mask mass massive mast mat match
material meadow meat mechanical meld melt member men mention menu merge mesh metal metallic
micro mild milk mill mimic minor minute mirror misalign misaligned misplace miss misshapen
missing misspell misspelt misty modern modification modify molar mole molten moment monday
monitor monkey month moon morning motion motorcycle mottle mount mountain mouse mouth move
movement mucosa mud mug multiple muscle muscular mushy nail name napkin narrow nasal natural
nature neat neatly neck needle negligible neon nest net new newspaper next-door nice night
nodule noise noisy noon nose note-book noticeable november number-plate numeral oak object
oblique obscure obvious ocean october odd oedema off-centre offset oil ok okay old olive
omission omit opacity opaque open opening operation orange order organ orient orientation orphan
outer outline oval overexpose overlaid overlap overlay oversaturated owl oxidise pacemaker pack
package page paint paintbrush pale palette palm pan panel pants paper paragraph parallel parcel
parent park part partial partly passenger paste pasted patch patchy path pattern pavement paw
pearl pedestrian peel pelvis pen pencil penguin people pepper percentage perfect perform person
perspective pet petal phone phrase physical physically physics piano piece pig pigment pile
pillar pillow pine pink pipe pixel pixelate pizza place placement plain plane planet plant
plaster plastic plate platform plausible player pleural plug plum plume plural pocket pole
polish polygon polyp pond pool poor poorly pork portion portrait pose position post poster
posture pot potato pour powder precise prefix preservation preserve press price print produce
product professional profile prominent prong proper proportion prosthesis protrude puddle pull
pump punctuation puppy pure purple pursue push puzzle pyramid quality question-mark quotation
rabbit radiograph radiolucent radiopaque rag rail rain rainbow raise raised rash ray razor
reaction readability readable realism realistic reality rear recede receipt recognise
recognizable recognize recolor recolour rectangle red reddish redraw redrawn reduce reflect
reflection region reindeer relief remain remainder remnant removal remove render reorder repaint
repair repeat replace replacement reposition reproduce resemble residual residue resize
resolution respect rest restore retain retouch reveal reverse rewrite rewritten rewrote rib
ribbon rice rich ridge rim ring ripe ripple rise river road robe robot rock rocket roll roof
room root rope rose rot rotate rotation rotten rough round row rubber rubble ruin rust sail
salad sale salt same sand sandal sandwich sans-serif satisfactory saturate saturation saturday
sausage saw scab scan scar scarf scatter scene scenery school scientific scissors screen screw
scribble script sculpture sea seam seamless season seat sediment segment semi separate sepia
september sequence serif serious setting severe shade shadow shape sharp sharpen shatter sheen
sheep sheer sheet shelf shell shield shift shine ship shirt shoe shop shore short shoulder
shrink shrub side sign signage signboard silhouette silk silver similar single sit site size
skeleton sketch skin skirt sky slant sleeve slice slide slight slightly slip slogan slope slot
small smear smile smoke smooth smudge smudgy snow soak soap soccer sock sofa soft soften soil
solid sore sound space spacing span spatial speck speckle spelled spelling sphere spicy spike
spill spine splash split spoon spot spread spring square squash squeeze stack stadium stain
stair stale stalk stamp stand star stars statue stay steam steel stem stenosis stent stick
sticker stitch stock stomach stone stop store straight strange straw stray stream street stretch
strip stripe stroke strong structural structure style substantial subtitle subtle subtotal
success successful suffix sugar suit suitcase sum summer sun sunday sunglasses sunlight sunset
surface surround survive suture swap sweater swell swelling swim switch sword symbol symmetric
synthetic table tag tagline tail tall tangle tank tap tape taper taste tattoo tax tea tear teeth
telephone television temperature tent text texture thaw thick thickness thin thorax thread
throat thumb thursday ticket tidy tie tiger tight tile tilt timber time tin tint tip tire tissue
title toe tomato tone tongue tool tooth top torso total total-body touch towel tower town toy
trace trachea track tracking trademark traffic trail train transfer transform transition
translate translation translucent transparent tray tree triangle trifle trim trousers truck
truncate trunk tube tuesday tulip tumor tumour tunnel turned twin twist type typeface typo
typography ugly ulcer umbrella unaffected unaltered unblemished unchanged unclear-edged
underline underlined undistorted uneven uniform unintelligible unmodified unnatural unnaturally
unnecessary unneeded unreadable unrealistic unrelated-looking unrequested unsharp unsuccessful
untouched unusable unwanted upper uppercase upright vague vanish vapor vapour vase vegetable
vehicle vein ventricle vertical vessel video village violin visibility visible vision visual
vivid volume walk wall warm warp wart wash watch water watermark wave wavers wavy wax weak wear
weather weave web wednesday week weekday weight weird wet whale wheel whisker white whiteboard
wide width wild wilt wind window wine wing winter wipe wire woman women wood wooden wool word
wound wrap wreath wrinkle wrist write written wrote x-ray yard year yellow young zebra zigzag
zip zone zoom
""")
_HOLDING = _words("""
a about across after against ago all almost along already also although always am among an and
another any anyone anything anywhere apart are aren't around as at attempt away back be became
because become been before behind being beneath beside besides between beyond both but by came
can can't candidate cannot case come contain depict did didn't different display do does doesn't
doing don't done down dozen due during each edit edited eight either eleven else enough entirely
especially etc even ever every everyone everywhere except far few five for former four from
further furthermore generally get give given go goes going got had has hasn't have haven't
having he hence her here hers him his hold how however image in including indeed inside
instruction into is isn't it it's its itself just keep largely last later latter least leave
less like likewise linked live made mainly make many more moreover most mostly much namely near
nearly neither never nevertheless nine no nobody none nor not nothing now of off often on once
one only onto or other others otherwise out output outside over overall own part per photo
photograph picture prediction present put quite read really recently request result said same
say see seem set seven several she show since six so some something somewhat soon spell state
still such target ten than that that's the their them then there there's therefore these they
they're thing this those though three through throughout thus to together too toward towards
twelve two under unlike until up upon use used using usual usually various very via view was
wasn't way well went were weren't what when where whereas whether which while who whole whom
whose why will with within without won't yet zero
""")
_TURNING = _words("""
above actual actually below careful confuse correct correctly could expect expectation expected
first if instead intend intended may might model must ought prior prompt rather right second
should system third true unless update user would
""")
_ATTRIBUTIVE = _words("""
access again assign average better blind closer corrupt corrupted default double drop dummy
earlier error fair figure final finally harsh higher highest incorrect initial initially input
likely load lower lowest max maximum min minimum mistake mixed neutral number optimum original
possible previous previously random randomly reference response scale scratch source strike test
unedited value worse wrong
""")
_BEARING = _words("""
acknowledge admit admittedly alas annotator answer apologies apologise apologize apology appeal
appeals arbitrarily arbitrary assess assessment assistant assume assumption attach attachment
available awaiting award believe blindly boilerplate bonus btw cached calibration cancel certain
change-my cheat claude coin colleague committee comparison comply concede confess confidence
confident confirm confirmed conjecture consensus contested correction corrigendum cost costs
crash credit criteria criterion decode decoding deduct deduction deserve digit-score discard
disown dispute disputed disregard doubt downgrade draft earn errata erratum erroneous
erroneously estimate evaluate evaluation example expert expire fabricate fabricated fiction
fictional file filler flip-a forced forget forgot format fyi gemini generous gpt grade grader
guess hack hallucinate halve hesitant hesitate hm hmm honest honestly hypothetical
hypothetically i ignore illustrative imagine inject injection invalid invent ironic jk joke
joking json judge judged judgement judgment key kid kidding lenient levels link lol looking
lorem made-up majority mark maybe me merit mine misjudge misjudged misread mix-up mock my myself
n/a na nah nb nope notch notches numeric numerical obey obsolete oops opinion our ours outdated
overrate overrated override overrule panelist parse parser penalise penalize penalty pending
percent percentage-points perhaps placeholder please point preliminary presumably presume
pretence pretend probably problem provisional ps rate rater rating re-check receive received
recheck reconsider regard regret regrettably reliable rely replies reply rethink retract review
reviewer revise revision revoke reward rubric sample sarcasm schema score scorer scrap simulate
skip somebody someone sorry speculate speculation stand-by strict stub subtract supersede
superseded suppose sure surely tbc tbd technical template tempted tentative threshold tier tiers
timeout todo told torn toss trust truth truthfully unavailable uncertain unconfirmed undecided
underrate underrated undo unfair ungraded unlikely unrated unreliable unscored unsure unverified
upgrade upload url us verdict verified verify void vote voter wait warrant waver wavering we
withdraw withdrawn withdrew worth you your yours
""")


class Kind(Enum):
    """What a word is: of pictures; of grammar; one that turns what is said of a picture
    ("should"); one that is harmless beside a word of pictures alone ("lower edge", "spelling
    error"); one that may bear on the verdict; or not known.
    """

    SEEN = auto()
    HOLDING = auto()
    TURNING = auto()
    ATTRIBUTIVE = auto()
    BEARING = auto()
    UNKNOWN = auto()


def _kinds() -> dict[str, Kind]:
    """A word of two lists is what the later one says: what may do harm does."""
    lists = (
        (_HOLDING, Kind.HOLDING), (_SEEN, Kind.SEEN), (_TURNING, Kind.TURNING),
        (_ATTRIBUTIVE, Kind.ATTRIBUTIVE), (_BEARING, Kind.BEARING),
    )  # fmt: skip
    return {word: kind for words, kind in lists for word in words}


_KINDS = _kinds()
_ENDINGS = (
    ("", ""), ("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("d", ""), ("ied", "y"), ("ing", ""), ("ing", "e"),
    ("ly", ""), ("ily", "y"), ("y", ""), ("er", ""), ("r", ""), ("est", ""), ("ness", ""), ("ish", ""),
    ("ally", ""), ("ement", "e"), ("ment", ""), ("ation", "e"), ("ion", ""), ("ion", "e"), ("less", ""), ("like", ""),
    ("'s", ""), ("s'", ""), ("able", ""), ("ful", ""), ("ity", ""), ("al", ""),
)  # fmt: skip
"""Endings of a word, and what the plain form has in their place."""


@lru_cache(maxsize=20_000)
def kind_of(word: str) -> Kind:
    """The kind of a word, in lower case; endings, a doubled letter before them, and ``un-``,
    ``mis-`` and ``over-`` are looked through.
    """
    if word in _KINDS:
        return _KINDS[word]
    found = Kind.UNKNOWN
    for stem in (word, *_unprefixed(word)):
        for ending, plain in _ENDINGS:
            if not stem.endswith(ending) or len(stem) - len(ending) < 2:
                continue
            base = stem[: len(stem) - len(ending)] + plain
            known = _KINDS.get(base) if len(base) > 2 else None
            if known is None and ending and base[-1:] == base[-2:-1]:
                known = _KINDS.get(base[:-1])
            if known is not None:
                return known
    if "-" in word:
        parts = {kind_of(part) for part in word.split("-") if part}
        for kind in (Kind.BEARING, Kind.ATTRIBUTIVE, Kind.TURNING, Kind.SEEN):
            if kind in parts:
                return kind
    return found


def _unprefixed(word: str) -> list[str]:
    return [
        word.removeprefix(prefix)
        for prefix in ("un", "mis", "over")
        if word.startswith(prefix) and len(word) > len(prefix) + 3
    ]


_HARMLESS = frozenset(
    _words("""
amount area areas attempt bbox box category certainty changed checked checks cm confidence count
counts date deg delta detail details differences difficulty duration editing end format h hash
height high highest id idx image images index lang language line lines low lowest max maximum
measurements method min minimum mm mode model ms n name num number ocr of operation out page pct
percent picture px range record region regions sample scale schema seconds seed source split
stage start step steps sum task temperature text texts time timestamp token tokens top topic
total turn type uncertainty unit version w weight width x y year
""")
)
"""Words of keys and labels whose numbers and texts are not about the verdict."""


def is_harmless_key(key: str) -> bool:
    """Whether a key, or a label, holds nothing about the verdict: all its words are of bookkeeping
    or of pictures.
    """
    words = re.findall(r"[A-Z]{2,}(?![a-z])|[A-Za-z][a-z]*|[^\W\d_]+", key[:80])
    return bool(words) and all(
        word.casefold() in _HARMLESS or kind_of(word.casefold()) is Kind.SEEN for word in words
    )
