"use strict";
// What a metric is called, how its numbers are printed, which data file has them, and how they look: one home for all views.
// A metric is named by its key, "metric|source"; the variant is that of the whole report (EG.variant).
const Scores = (function () {
  const h = EG.h, GIVEN_BACK = "given_back";

  const keyOf = (column) => column.metric + "|" + (column.source || "");

  function split(key) {
    const cut = key.indexOf("|");
    return cut < 0 ? { metric: key, source: "" } : { metric: key.slice(0, cut), source: key.slice(cut + 1) };
  }

  function facts(about, key) {
    const name = split(key).metric;
    return about.metrics[name] || { title: name, direction: null, range: [null, null], digits: 3, unit: "", note: "", plain: "" };
  }

  const person = (key) => split(key).source.startsWith("human:");

  // Every metric and source that has values of a sample, in the order of their declaration; people come last.
  function keys(about) {
    if (!about.keys) {
      const order = Object.keys(about.metrics);
      about.keys = Array.from(new Set(about.columns.map(keyOf))).sort((a, b) => {
        const x = split(a), y = split(b);
        return person(a) - person(b) || order.indexOf(x.metric) - order.indexOf(y.metric) || (x.source < y.source ? -1 : 1);
      });
    }
    return about.keys;
  }

  // A judge's name without the hash of its prompts; the whole name where two would be one.
  function short(about, source) {
    const cut = (text) => text.split("#")[0].replace(/^human:/, "by ");
    return keys(about).map((key) => split(key).source).some((other) => other !== source && cut(other) === cut(source)) ? source : cut(source);
  }

  function name(about, key) {
    const { metric, source } = split(key), several = keys(about).filter((other) => split(other).metric === metric).length > 1;
    return facts(about, key).title + (source && several ? " · " + short(about, source) : "");
  }

  const arrow = (direction) => ({ higher: " ↑", lower: " ↓" }[direction] || "");

  // The number of an editor's file: of the report's variant, or of the only one there is; -1 without any.
  function column(about, editor, key) {
    if (!about.lookup) about.lookup = new Map(about.columns.map((one, at) => [[one.editor, keyOf(one), one.variant].join("\0"), at]));
    const at = (variant) => about.lookup.get([editor, key, variant].join("\0"));
    return at(EG.variant) ?? at(EG.variant === "faithful" ? "corrected" : "faithful") ?? -1;
  }

  function load(about, editor, key) {
    const which = editor && key ? column(about, editor, key) : -1;
    return which < 0 ? Promise.resolve(null) : EG.column(about, which);
  }

  const text = (about, key, value) => EG.number(value, facts(about, key).digits);

  // The value, or why there is none: failures are words.
  function said(about, key, found, position) {
    const code = found ? found.status[position] : 255;
    if (code === 255) return "not scored";
    return code === 0 ? text(about, key, found.values[position]) : EG.words(EG.meta.statuses[code]);
  }

  // What it is, range, direction, source.
  function meaning(about, key) {
    const one = facts(about, key), { metric, source } = split(key);
    const end = (value) => value === null ? "open" : EG.number(value, value % 1 ? 2 : 0);
    return [one.plain ? "It says " + one.plain + "." : "", one.note.replace(/[^.]$/, "$&."),
      one.range.some((value) => value !== null) ? "Range: " + one.range.map(end).join(" to ") + (one.unit ? " " + one.unit : "") + "." : "",
      { higher: "Higher is better.", lower: "Lower is better." }[one.direction] || "Nobody said which way is better.",
      source ? "Made by " + source + "." : "", "In the rows: " + metric + "."].filter(Boolean).join(" ");
  }

  // A metric's name that leads to what it means.
  const tip = (about, key) => h("a", { class: "metric", href: EG.address(["tables", about.name]), title: meaning(about, key) },
    name(about, key) + arrow(facts(about, key).direction));

  // The classes of one row of numbers: "r0" is the best, "r4" the worst, "" where there is nothing to rank.
  function levels(numbers, direction) {
    const known = numbers.filter((v) => v !== null && v === v), sign = direction === "lower" ? 1 : -1;
    const order = Array.from(new Set(known)).sort((a, b) => sign * (a - b));
    return numbers.map((value) => {
      const at = order.indexOf(value);
      if (!direction || order.length < 2 || at < 0) return { level: "" };
      return { level: "r" + Math.round(at / (order.length - 1) * 4), place: known.filter((v) => sign * (v - value) < 0).length + 1,
        of: known.length };
    });
  }

  function chip(about, key, found, position, rank) {
    const words = said(about, key, found, position), scored = found && found.status[position] === 0;
    return h("span", { class: "chip " + (scored ? rank.level : "none-chip"),
      title: name(about, key) + " " + words + (rank.place ? ": place " + rank.place + " of " + rank.of + " on this sample" : "") },
    h("span", { class: "chip-name" }, name(about, key)), " ", h("span", { class: "chip-value" }, words));
  }

  // The metrics that a view shows first: the leading one, one that tells damage, a judge's; then as many as there are.
  function defaults(about, many) {
    const all = keys(about).filter((key) => !person(key)), lead = about.overview.by, chosen = [];
    const take = (test) => {
      const key = all.find((one) => test(one) && chosen.every((other) => split(other).metric !== split(one).metric));
      if (key && chosen.length < many) chosen.push(key);
    };
    if (lead) take((key) => key === keyOf(lead));
    if (about.overview.kept.length) take((key) => split(key).metric === about.overview.kept[0]);
    take((key) => split(key).source);
    all.forEach(() => take(() => true));
    return chosen;
  }

  function has(index, slot, position) {
    const bits = index.thumbs[slot] && EG.unpacked(index.thumbs, slot);
    return Boolean(bits && bits[position >> 3] >> (position & 7) & 1);
  }

  function thumb(about, index, slot, position, words) {
    if (!has(index, slot, position)) return null;
    return h("img", { class: "thumb", loading: "lazy", decoding: "async", alt: words || "", src: "thumbs/" + about.at + "/" + slot + "/"
      + position + ".webp" });
  }

  // A picture of a card with a word below it, or what became of it.
  function captioned(about, index, slot, position, word) {
    return h("span", { class: "captioned" }, thumb(about, index, slot, position, word) ||
      h("span", { class: "fate" }, typeof slot === "number" && fate(index, slot, position) || "no thumbnail"), h("small", {}, word));
  }

  // What became of an output, as words: "" where there is a picture.
  function fate(index, editor, position) {
    const code = editor < 0 ? 255 : EG.unpacked(index.edits, editor)[position];
    return code === 255 ? "no output" : code === 0 ? "" : EG.words(EG.meta.statuses[code]);
  }

  const returned = (index, editor) => EG.unpacked(index.back, editor);

  // What the filter of statuses offers: those of the rows, and the inputs that were handed back.
  const statuses = () => EG.meta.statuses.concat([GIVEN_BACK]);

  // Whether an output of an editor and a sample has a status, as a test of positions.
  function having(index, editor, status) {
    const bits = status === GIVEN_BACK ? returned(index, editor) : EG.unpacked(index.marks, editor, Uint16Array);
    const bit = status === GIVEN_BACK ? 1 : 1 << EG.meta.statuses.indexOf(status);
    return (position) => Boolean(bits[position] & bit);
  }

  // Who is ahead by the report's variant, or by the only one in which somebody is.
  const lead = (about) => about.overview.leads[EG.variant] || Object.values(about.overview.leads)[0] || null;
  const anchor = (about, editor) => about.anchors.includes(editor);

  return { keyOf, split, facts, keys, person, short, name, arrow, column, load, text, said, meaning, levels, chip, defaults, has, thumb,
    captioned, fate, tip, returned, statuses, having, anchor, lead, GIVEN_BACK };
})();
