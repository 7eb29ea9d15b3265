"use strict";
// What a metric is called, how its numbers are printed, which data file has them, and how they look: one home for all views.
// A metric is named by its key, "metric|source"; the variant is that of the whole report (EG.variant).
var Scores = (function () {
  var h = EG.h;
  var LEVELS = 5;

  function keyOf(column) { return column.metric + "|" + (column.source || ""); }

  function split(key) {
    var cut = key.indexOf("|");
    return cut < 0 ? { metric: key, source: "" } : { metric: key.slice(0, cut), source: key.slice(cut + 1) };
  }

  function facts(about, key) {
    var name = split(key).metric;
    return about.metrics[name] || { title: name, direction: null, range: [null, null], digits: 3, unit: "", note: "", plain: "" };
  }

  // A judge's name without the hash of its prompts; the whole name where two would be one.
  function short(about, source) {
    var cut = source.split("#")[0].replace(/^human:/, "by ");
    var same = keys(about).some(function (key) {
      var other = split(key).source;
      return other !== source && other.split("#")[0] === source.split("#")[0];
    });
    return same ? source : cut;
  }

  // Every metric and source that has values of a sample, in the order of their declaration; people come last.
  function keys(about) {
    if (!about.keys) {
      var seen = new Set(), order = Object.keys(about.metrics);
      about.columns.forEach(function (column) { seen.add(keyOf(column)); });
      about.keys = Array.from(seen).sort(function (a, b) {
        var x = split(a), y = split(b);
        return person(a) - person(b) || order.indexOf(x.metric) - order.indexOf(y.metric) || (x.source < y.source ? -1 : 1);
      });
    }
    return about.keys;
  }

  function person(key) { return split(key).source.indexOf("human:") === 0 ? 1 : 0; }

  function several(about, key) {
    var metric = split(key).metric;
    return keys(about).filter(function (other) { return split(other).metric === metric; }).length > 1;
  }

  function name(about, key) {
    var source = split(key).source;
    return facts(about, key).title + (source && several(about, key) ? " · " + short(about, source) : "");
  }

  function arrow(about, key) { return { higher: " ↑", lower: " ↓" }[facts(about, key).direction] || ""; }

  // The file of an editor's values: of the report's variant, or of the only one there is.
  function column(about, editor, key, variant) {
    if (!about.lookup) {
      about.lookup = new Map();
      about.columns.forEach(function (one, at) {
        about.lookup.set([one.editor, keyOf(one), one.variant].join("\u0000"), at);
      });
    }
    function at(kind) { return about.lookup.get([editor, key, kind].join("\u0000")); }
    var found = at(variant || EG.variant);
    if (found === undefined && !variant) {
      found = at(EG.variant === "faithful" ? "corrected" : "faithful");
    }
    return found === undefined ? -1 : found;
  }

  function text(about, key, value) { return EG.number(value, facts(about, key).digits); }

  // The value, or why there is none: failures are words.
  function said(about, key, values, position) {
    if (!values) return "not scored";
    var code = values.status[position];
    if (code === 255) return "not scored";
    return code === 0 ? text(about, key, values.values[position]) : EG.words(EG.meta.statuses[code]);
  }

  // The words of a tooltip: what it is, range, direction, source.
  function meaning(about, key) {
    var one = facts(about, key), source = split(key).source, ends = one.range || [null, null];
    var parts = [];
    if (one.plain) parts.push("It says " + one.plain + ".");
    if (one.note) parts.push(one.note);
    if (ends[0] !== null || ends[1] !== null) {
      parts.push("Range: " + (ends[0] === null ? "open" : EG.number(ends[0], ends[0] % 1 ? 2 : 0)) + " to " +
        (ends[1] === null ? "open" : EG.number(ends[1], ends[1] % 1 ? 2 : 0)) + (one.unit ? " " + one.unit : "") + ".");
    }
    parts.push({ higher: "Higher is better.", lower: "Lower is better." }[one.direction] || "Nobody said which way is better.");
    if (source) parts.push("Made by " + source + ".");
    parts.push("In the rows: " + split(key).metric + ".");
    return parts.join(" ");
  }

  // Rank classes of one row of numbers: "r0" is the best, "r4" the worst, "" where there is nothing to rank.
  function levels(numbers, direction) {
    var known = numbers.filter(function (v) { return v !== null && v === v; });
    var order = Array.from(new Set(known)).sort(function (a, b) { return direction === "lower" ? a - b : b - a; });
    return numbers.map(function (value) {
      if (!direction || order.length < 2 || value === null || value !== value) return { level: "", place: 0 };
      var at = order.indexOf(value);
      var better = known.filter(function (v) { return direction === "lower" ? v < value : v > value; }).length;
      return { level: "r" + Math.round(at / (order.length - 1) * (LEVELS - 1)), place: better + 1, of: known.length };
    });
  }

  // `whole`: with the judge's name, where the same score of another judge stands beside it.
  function chip(about, key, values, position, rank, whole) {
    var scored = values && values.status[position] === 0;
    var words = said(about, key, values, position);
    var label = name(about, key) + " " + words;
    return h("span", { class: "chip " + (scored ? rank.level : "none-chip"),
      title: label + (rank.place ? ": place " + rank.place + " of " + rank.of + " on this sample" : "") },
    h("span", { class: "chip-name" }, whole ? label.slice(0, -words.length - 1) : facts(about, key).title), " ", h("span", { class: "chip-value" }, words));
  }

  // The metrics that a view shows first: the leading one, one that tells damage, a judge's.
  function defaults(about, many) {
    var all = keys(about).filter(function (key) { return !person(key); });
    var lead = about.overview.by, wanted = (lead ? [lead.metric] : []).concat(about.overview.kept);
    var chosen = [];
    function take(test) {
      var key = all.find(function (one) {
        return test(one) && chosen.every(function (other) { return split(other).metric !== split(one).metric; });
      });
      if (key && chosen.length < many) chosen.push(key);
      return Boolean(key);
    }
    if (lead) take(function (key) { return key === lead.metric + "|" + lead.source; });
    wanted.slice(0, 2).forEach(function (metric) { take(function (key) { return split(key).metric === metric; }); });
    take(function (key) { return Boolean(split(key).source); });
    while (chosen.length < many && take(function () { return true; })); // as many as there are
    return chosen;
  }

  function has(index, slot, position) {
    var bits = index.thumbs && index.thumbs[slot];
    if (typeof bits === "string") bits = index.thumbs[slot] = EG.bytes(bits);
    return Boolean(bits && bits[position >> 3] >> (position & 7) & 1);
  }

  function thumb(at, index, slot, position, words) {
    if (!has(index, slot, position)) return null;
    return h("img", { class: "thumb", loading: "lazy", decoding: "async", alt: words || "",
      src: "thumbs/" + at + "/" + slot + "/" + position + ".webp" });
  }

  // A picture of a card with a word below it, or what became of it.
  function captioned(at, index, slot, position, word) {
    var words = typeof slot === "number" ? fate(index, slot, position) : "";
    return h("span", { class: "captioned" }, thumb(at, index, slot, position, word) || h("span", { class: "fate" }, words || "no thumbnail"), h("small", {}, word));
  }

  // What became of an output, as words: "" where there is a picture.
  function fate(index, editor, position) {
    var codes = index.edits[editor];
    if (typeof codes === "string") codes = index.edits[editor] = EG.bytes(codes);
    if (!codes) return "no output";
    var code = codes[position];
    if (code === 255) return "no output";
    return code === 0 ? "" : EG.words(EG.meta.statuses[code]);
  }

  function marks(index, editor) {
    if (typeof index.marks[editor] === "string") index.marks[editor] = EG.bytes(index.marks[editor]);
    return index.marks[editor];
  }

  // The samples of which an editor handed the input back: 1 where it did.
  var GIVEN_BACK = "given_back";
  function returned(index, editor) {
    if (typeof index.back[editor] === "string") index.back[editor] = EG.bytes(index.back[editor]);
    return index.back[editor];
  }

  // What the filter of statuses offers: those of the rows, and the inputs that were handed back.
  function statuses() { return EG.meta.statuses.concat([GIVEN_BACK]); }

  // Whether an output of an editor and a sample has a status, as a test of positions.
  function having(index, editor, status) {
    var bits = status === GIVEN_BACK ? returned(index, editor) : marks(index, editor);
    var bit = status === GIVEN_BACK ? 1 : 1 << EG.meta.statuses.indexOf(status);
    return function (position) { return Boolean(bits[position] & bit); };
  }

  // Who is ahead by the report's variant, or by the only one in which somebody is.
  function lead(about) { return about.overview.leads[EG.variant] || about.overview.leads.faithful || about.overview.leads.corrected || null; }

  function anchor(about, editor) { return about.anchors.indexOf(editor) >= 0; }

  // A metric's name that tells what it is when it is pointed at, focused or tapped.
  function tip(about, key) {
    var id = "tip-" + key.replace(/[^A-Za-z0-9]/g, "-");
    var words = h("span", { role: "tooltip", id: id, class: "tip", hidden: true }, meaning(about, key));
    var pinned = false;
    function open(on) { // beside its name, whatever scrolls around it
      words.hidden = !on;
      if (!on) return;
      var box = button.getBoundingClientRect();
      words.style.left = Math.max(8, Math.min(box.left, innerWidth - words.offsetWidth - 8)) + "px";
      words.style.top = Math.min(box.bottom + 4, Math.max(8, innerHeight - words.offsetHeight - 8)) + "px";
    }
    function show(on) { return function () { open(on || pinned); }; }
    function pin(on) { pinned = on; open(on); }
    var button = h("button", { type: "button", class: "metric", "aria-describedby": id, onclick: function () { pin(!pinned); },
      onblur: function () { pin(false); }, onmouseenter: show(true), onmouseleave: show(false),
      onkeydown: function (event) { if (event.key === "Escape") pin(false); } }, name(about, key) + arrow(about, key));
    return h("span", { class: "tipped" }, button, words);
  }

  return {
    keyOf: keyOf, split: split, facts: facts, keys: keys, person: person, several: several, short: short, name: name, arrow: arrow,
    column: column, text: text, said: said, meaning: meaning, levels: levels, chip: chip, defaults: defaults, has: has, thumb: thumb, captioned: captioned,
    fate: fate, tip: tip, returned: returned, statuses: statuses, having: having, anchor: anchor, lead: lead, GIVEN_BACK: GIVEN_BACK
  };
})();
