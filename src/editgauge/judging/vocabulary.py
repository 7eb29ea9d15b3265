"""The words of judges: those of what is seen in pictures, those that hold English together, and
those that may bear on a verdict. `remainder` says what each kind is good for.

A word is given once, in its plainest form; `kind_of` knows it with the usual endings as well.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache

_SEEN = """
year hour minute turned wavers bakery
kept
count sum item fringe blend unusable planet
equal equals wide annex legible decimal jawline merge blackboard crisp fault field-line tax float graduation
abdomen absent accent accurate action add adapt adjacent adjust age air airy align all-over aloft alter
ambient ampersand anatomy angle animal ankle annotate antenna aorta apostrophe apparent appear apple apply
arch area arm arrange arrow art artefact artifact asphalt atmosphere aura awkward axis baby background
backdrop backlit badge bag baker bakery ball balloon banana band bandage bank banner bar bare bark barn barrel base
baseline basket bat bath battery beach beak beam bear beard bed bee belly belt bench bend bent bevel bicycle bike
bill billboard bird bite black bladder blade blank blanket blast bleach bled bleed blemish blend blob block blond
blonde blood bloom blossom blot blotch blotchy blouse blow blue blur blurry board boat body boil bold bone book
boot border botch bottle bottom boulder boundary bow bowl box bracelet bracket brain branch brand bread break breast
breath brick bridge bright brightness bristle broad broken bronchus brown bruise brush bubble bucket bud bug build
building bulb bulge bulk bump bun bunch burn bus bush business butter butterfly button cabinet cable cafe cake calm
camel camera candle candy canvas cap capital caption car carbon card cardboard carina carpet carry
cart carve cast castle cat catheter cave ceiling cell centre center ceramic chain chair chalk change character
charge chart cheek cheese chest chicken child children chin chip chocolate choppy chop church cigarette circle circular
city clarity claw clay clean cleanly clear clearly cliff clip cloak clock clone close closely cloth clothe clothes
clothing cloud clumsy cluster clutter coarse coat coffee coherent cohere coherence cold collapse collar colon
color colour column comb combine comma compact compare complete completely component composition compress computer
condense cone conform connect consist consistent context continue continuous contour contrast convert
convince convincing cook cool copy coral corner corridor counter cow crack cram cream crease
create creature crescent crest crisp crooked crop cross crowd crown crude crumb crust crystal cube cup curl current
curtain curve cushion cut cyan cyst dagger dam damage dance dark darken dash date day daylight debris decayed decorate
deep deer defect deform degrade delete deletion deliver dense dent depth desert design desk detach detail
detect device diagonal diagram dial differ difference diffuse digit dim direction dirt dirty disappear disc
dish dissolve distance distant distinct distort distortion distract divider dog doll dolphin door dot
doubled draw drawn dress drift drink drip droplet drum dry duck duct dull duplicate dust ear early earth ear ring edge
 effect egg elbow element elephant elongate emblem embroider emerge emoji empty enamel end engine enlarge
entire envelope environment erase erode evenly evenness exact exactly exist expand expose exposure express
expression extend extra eye eyebrow fabric face facade faceted fade faint fairly faithful fall false familiar farm fat
faucet feather feature feet female femur fence fern fibre fidelity field fill film fine finger finish fire fish fit five-pointed
fix flag flame flap flare flash flat flatten flaw flawless flesh flip float floor flour flow flower fluid fly flyer
foam focal focus fog foil fold foliage font food foot footer footnote forearm foreground forehead forest fork form
fox fracture fragment frame fraying frequent fresh friend frog front frost frozen fruit fuse fuzz fuzzy gallbladder
gap garbage garble garden garment gas gate geometry gentle ghost ghosting giant giraffe glance glare glass gleam glide
glitch gloss glossy glove glow glue glyph goat gold golden gone good gradient gradual grain grainy grape graph
graphic grass gravel gravity gray grease green grey grid groove ground group grow guitar gum gun hair haircut half hallway
halo hand handle handwriting hang happy hard hat haze hazy head headline heap heart heat heavy hedge heel height helmet
hide hill hip hole hollow home hood horizon horizontal horn horse hospital hot house hue hull hyphen ice icon
identical identity illegible illuminate imperfect implant implausible imprecise improper inaccurate incision
incoherent incomplete inconsistent indistinct infiltrate inflate ink insert insertion insect intact integrate
integrity intense intestine invisible inverted iris iron island isolated italic ivory jacket jagged jar jaw jeans jelly
jersey jewel jittery join joint juice jump kern kerning kettle keyboard kidney kite knee knife knot label lace ladder
lake lamb lamp land landscape lantern large lash lateral launch lawn layer layout lead leaf leather leaves left leg
legible lemon length lens lesion letter lettering level lid lift light lighten lighting limb line lion lip liquid
little liver lobe local locate lock log logo long loose lose loss lost low-resolution luggage lump luminance lung
magazine male man mane map marble margin mask mass mast mat match material meadow meat mechanical meld
melt member men menu merge mesh metal metallic micro mild milk mill mimic mirror misalign misaligned misplace misshapen
misspell missing misspelt misty modern modify mole molten moment monitor monkey moon motion motorcycle mottle mount
mountain mouse mouth move movement mud mug multiple muscle muscular mushy nail name napkin narrow nasal natural nature
 neat neck needle nest net newspaper next-door night nodule noise noisy nose note-book number-plate oak object oblique
obscure obvious ocean odd off-centre offset oil old olive opacity opaque open opening operation orange order organ
orient orientation orphan oval outer outline overlap overlay overexpose overlaid oversaturated owl oxidise pack
package page paint paintbrush pale palette palm pan panel pants paper paragraph parallel parcel parent park part partial
partly passenger paste pasted patch patchy path pattern pavement paw pearl pedestrian peel pelvis pen pencil penguin
people pepper perform perspective perfect person pet petal phone phrase physics physical piano piece pig pigment
pile pillar pillow pine pink pipe pixel pixelate pizza place placement plain plane planet plant plaster plastic plate
platform plausible player pleural plug plum plume plural pocket pole polish polygon polyp pond pool poor poorly pork
portion portrait pose position post poster posture pot potato pour powder precise preserve press price print 
produce product profile prominent prong proper proportion prosthesis protrude puddle pull pump punctuation
puppy pure purple pursue push puzzle pyramid quality rabbit radiograph rag rail rain rainbow ray razor readability
readable realism realistic reality rear recede recognise recognize recolor recolour rectangle red reddish redraw redrawn
reduce reflect reflection region reindeer relief remain remainder remove removal render reorder repaint repair repeat
replace replacement reposition reproduce resemble resize resolution respect rest restore retain
retouch reveal reverse rewrite rewritten rewrote rib ribbon rice rich ridge rim ring ripe ripple rise river road robe
robot rock rocket roll roof room root rope rose rotate rotation rotten rough round row rubber rubble ruin rust
sail salad salt sand sandal sandwich sans-serif sausage saturate saturation saw scan scar scarf scatter scene scenery school
scissors screen screw scribble script sculpture sea seam seamless seat sediment segment semi separate sepia sequence serif
 setting shade shadow shape sharp sharpen shatter sheen sheep sheer sheet shelf shell shield shift shine ship shirt shoe
shop shore short shoulder shrink shrub side sign signage silhouette silk silver similar single sit site size skeleton
sketch skin skirt sky slant sleeve slice slide slight slightly slip slogan slope slot small smear smile smoke smooth smudge
smudgy snow soak soap soccer sock sofa soft soften soil solid sore sound space span spatial speck speckle spelling
sphere spike spill spine splash split spoon spot spread square squash squeeze stack stadium stain stair stale stalk
stamp stand statue stay steam steel stem stent stick sticker stitch stock stomach stone stop store straight stray
straw stream street stretch strip stripe stroke strong structure structural style subtitle subtle sugar suit suitcase
sun sunglasses sunlight sunset surface surround survive suture swap sweater swell swim switch sword symbol symmetric table
tag tail tall tank tangle tap tape taper taste tattoo tea tear teeth telephone television temperature tent
text texture thick thickness thin thorax thread throat thumb tidy tie tiger tight tile tilt timber time tin tint tip tire
tissue title toe tomato tone tongue tool tooth top torso total-body touch towel tower town toy trace trachea track
traffic trail train transfer transform transition translate translation translucent transparent tray tree triangle trim
trousers truck trunk truncate tube tulip tumor tumour tunnel twin twist type typeface typo typography ugly umbrella
unaltered unaffected unblemished unchanged unclear-edged underline undistorted uneven uniform unintelligible unmodified
unnatural unnaturally unneeded unnecessary unreadable unrealistic unrelated-looking unrequested unsharp unwanted upper upright
vague vanish vapor vapour vase vegetable vehicle vein vertical vessel video village violin visible visibility vision
visual vivid volume wall walk warm warp wash watch water watermark wave wavy wax wear weather weave web weight wet whale
wheel whisker white wide width wild wilt wind window wine wing wipe wire woman women wood wooden wool word wound wrap
wreath wrinkle wrist write written wrote x-ray yard yellow young zebra zigzag zip zone
ok okay star stars bad recognise recognizable part mention weak raise raised lit ok nice bad great excellent decent acceptable satisfactory done half partial everything flawless faultless
trifle neatly success successful fail failure failed fulfil execute carry follow omit omission unsuccessful
 kept differ same hardly barely achieve accomplish carried faithful lack lacking lacks miss leftover residual
residue remnant untouched anyway additional excess deviate deviation preserve preservation alteration modification change
unaltered disturb disruption intrude odd strange weird cartoonish artificial believable lifelike synthetic pasted cut-out
convincingly amateur professional minor major small noticeable conspicuous discernible imperceptible negligible severe serious
heavy massive substantial considerable marked-off physically logically knowledge factual scientific biological
chemical reaction gravity evaporate condense freeze thaw ignite burn explode corrode rust rot grow germinate hatch age season
winter summer spring autumn morning noon evening night anatomical lesion radiopaque radiolucent opacity density
fracture implant denture crown molar enamel gingiva gum polyp mucosa tissue organ artery ventricle tumour cyst nodule calcification
stenosis effusion oedema edema swelling rash acne wrinkle mole wart ulcer scab suture wound bruise stitch cast pacemaker electrode
 spelled headline header paragraph bullet columns prefix suffix uppercase lowercase
letterform stroke kerning spacing tracking bold italic underlined serif accent diacritic currency percentage barcode ticket receipt invoice
menu flyer brochure leaflet signboard chalkboard whiteboard neon marquee logo slogan tagline trademark price discount sale exclamation question-mark quotation interrogation monday tuesday wednesday thursday friday saturday sunday weekday month week
january february march april june july august september october november december receipt total subtotal legend region zoom new add addition happen belong empty instrument level dog-ear spicy curve curvature
balance kernel digit-like lettered numeral glossy lid hinge legend
""".split()
_HOLDING = """
otherwise show read say said state depict display contain view present result hold spell linked
image picture photo photograph edit edited instruction attempt request case different live even leave set more else
a about across after against ago all almost along already also although always am among an and another any anyone anything
anywhere apart are around as at away back be became because become been before behind being beneath beside besides between
beyond both but by came can cannot come did do does doing done down due during each either else enough entirely especially
etc even ever every everyone everywhere except far few for former from further furthermore generally get give given go goes
going got had has have having he hence her here hers him his how however in including indeed inside into is it its itself just
keep largely last later latter least less like likewise many mainly make made  more moreover most mostly much
namely near nearly neither never nevertheless no nobody none nor not nothing now of off often on once one only onto or other
others  out outside over overall own part per  put quite really recently same see seem several she since so
some somewhat something soon still such than that the their them then there therefore these they thing this those though
through throughout thus to together too toward towards under unlike until up upon use used using usual usually various very
via was way well went were what when where whereas whether which while who whole whom whose why will with within without yet
still yet however although though because result output candidate target prediction other different another isn't aren't wasn't weren't doesn't don't didn't hasn't haven't can't  won't it's that's there's they're
zero two three four five six seven eight nine ten eleven twelve dozen
""".split()
_TURNING = """
update careful right correct correctly true
should must ought would could might may instead rather above below first second third actual actually expect expected
expectation intend intended unless if prompt user system model prior confuse
""".split()
_ATTRIBUTIVE = """
number wrong incorrect better worse lower higher lowest highest maximum minimum max min average final finally initial
initially earlier previous previously harsh double scratch drop strike value figure scale error mistake
corrupt corrupted mixed random randomly fair neutral test possible likely again access load assign
response original reference input source unedited dummy blind optimum default closer
""".split()
_BEARING = """
mark point format example sample link file credit comparison decode decoding please looking problem cost costs reward bonus technical key regard
score rate rating grade verdict judge judged judgement judgment evaluate evaluation assess assessment award deduct deduction
subtract penalise penalize penalty deserve merit warrant worth earn rubric threshold criterion criteria answer reply
replies json schema template placeholder draft mock provisional tentative preliminary wait hmm hm oops nope nah
sorry apologise apologize apology apologies correction corrigendum erratum errata revise revision reconsider review recheck re-check rethink
 sure surely certain uncertain unsure doubt confident confidence guess assume assumption suppose presume presumably
imagine pretend hypothetical hypothetically speculate speculation estimate probably perhaps maybe unlikely conjecture
arbitrary arbitrarily invent fabricate made-up simulate illustrative hallucinate ignore disregard discard void invalid cancel
retract withdraw withdrawn withdrew revoke overrule override forget forgot scrap skip undo upgrade downgrade halve generous strict
lenient unfair i me my mine myself we us ours our you your yours told colleague reviewer annotator rater grader
expert someone somebody gpt gemini claude assistant opinion consensus attach attachment upload receive received url timeout
unavailable available blindly parse parser crash mix-up forced comply obey pretence honest honestly truth truthfully
believe trust rely reliable unreliable kid kidding joke joking sarcasm ironic cheat hack inject injection obsolete outdated
supersede superseded expire cached boilerplate stub todo tbd tbc n/a na calibration lorem lol jk ps nb btw fyi erroneous erroneously
levels notch notches tier tiers percent percentage-points    fabricated fictional fiction filler
undecided hesitate hesitant torn tempted wavering waver coin toss flip-a change-my regret misjudge misjudged misread overrate
overrated underrate underrated  withdrawn disown scorer ungraded unrated unscored numeric numerical digit-score
 vote voter majority committee panelist appeal appeals dispute disputed contested pending awaiting unconfirmed
unverified confirm confirmed verify verified acknowledge regrettably alas admittedly confess admit concede stand-by
""".split()


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
    """max min maximum minimum scale range low high lowest highest top out of total sum weight count counts number num n
    amount id index idx version step steps token tokens time seconds duration ms line lines x y w h width height page year
    sample image images picture record task seed turn width confidence certainty uncertainty difficulty temperature hash
    operation model method language lang type topic category editing date timestamp mode source split stage end start
    changed differences details detail region regions area areas bbox box ocr text texts schema format name unit attempt deg px mm cm pct percent delta checks measurements checked""".split()
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
