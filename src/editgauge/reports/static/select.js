"use strict";
// Which samples an address asks for, and in which order. Columns of numbers, no pictures.
const Select = (function () {
  const MOST = 12; // models that are shown where the address names none
  let last = { key: "", found: null };

  // What the address leaves open gets a sensible value.
  function settle(about, query) {
    const known = Scores.keys(about), among = (name, list) => list.includes(query.get(name)) ? query.get(name) : "";
    const e = among("e", about.editors), chosen = query.getAll("model").filter((name) => about.editors.includes(name));
    let models = chosen.length ? chosen : about.editors.filter((name) => !Scores.anchor(about, name)).concat(about.anchors).slice(0, MOST);
    if (e && !models.includes(e)) models = [e].concat(models.slice(0, MOST - 1));
    let m = among("m", known), chips = query.getAll("chip").filter((key) => known.includes(key));
    if (!chips.length) chips = Scores.defaults(about, 3);
    if (m && !chips.includes(m)) chips = [m].concat(chips.slice(0, 2));
    m = m || chips[0] || "";
    return { models, chips, e: e || leader(about, models, m), named: e, m, sort: query.get("sort") || "there",
      desc: query.get("desc") === "1", status: among("status", Scores.statuses()), q: (query.get("q") || "").toLowerCase(),
      where: query.getAll("where"), range: query.getAll("range") };
  }

  // The model that is looked at where the address names none: the leading one with scores in the metric, or the first with some.
  function leader(about, models, m) {
    const lead = Scores.lead(about), ranked = lead ? lead.lines.map((line) => line.editor) : [];
    const all = ranked.concat(models), real = all.filter((name) => !Scores.anchor(about, name));
    return real.concat(all).find((name) => {
      const at = models.includes(name) ? Scores.column(about, name, m) : -1;
      return at >= 0 && about.columns[at].scored > 0;
    }) || models[0] || "";
  }

  function codesOf(index, about, name) {
    const at = about.attributes.findIndex((one) => one.name === name);
    return at < 0 ? null : { codes: EG.unpacked(index.codes, at, Uint16Array), about: about.attributes[at] };
  }

  // "name:low:high" with open ends; the name may hold colons itself.
  function bounds(clause) {
    const parts = clause.split(":"), [low, high] = parts.splice(-2).map((text) => text === "" ? null : Number(text));
    return { name: parts.join(":"), low, high };
  }

  // One test a clause; several values of one attribute are alternatives, everything else is asked for together.
  function tests(about, index, state, loaded, skip) {
    const wanted = new Map(), list = [];
    state.where.forEach((clause) => {
      const cut = clause.indexOf("="), name = clause.slice(0, cut);
      wanted.set(name, (wanted.get(name) || []).concat(clause.slice(cut + 1)));
    });
    wanted.forEach((values, name) => {
      const found = codesOf(index, about, name);
      if (!found || name === skip) return;
      const codes = new Set(values.map((value) => found.about.values.indexOf(value)));
      list.push((i) => codes.has(found.codes[i]));
    });
    state.range.map(bounds).forEach(({ name, low, high }) => {
      const found = codesOf(index, about, name);
      if (name === skip || !(name === "score" ? loaded.own : found)) return;
      const numbers = found && found.about.values.map((text) => text === "" ? NaN : Number(text));
      const value = name === "score" ? (i) => loaded.own.values[i] : (i) => numbers[found.codes[i]];
      list.push((i) => { const v = value(i); return v === v && (low === null || v >= low) && (high === null || v <= high); });
    });
    if (state.status) {
      const asked = (state.named ? [state.named] : about.editors).map((editor) => Scores.having(index, about.editors.indexOf(editor), state.status));
      list.push((i) => asked.some((test) => test(i)));
    }
    if (state.q) list.push((i) => loaded.text[i].toLowerCase().includes(state.q) || index.ids[i].toLowerCase().includes(state.q));
    return list;
  }

  function kept(size, list) {
    const keep = new Uint8Array(size);
    for (let i = 0; i < size; i++) keep[i] = list.every((test) => test(i));
    return keep;
  }

  // How many of the samples that the other filters keep have each value of an attribute.
  function counts(about, found, name) {
    const codes = codesOf(found.index, about, name), out = new Uint32Array(codes.about.values.length);
    kept(about.samples, tests(about, found.index, found.state, found.loaded, name)).forEach((keep, i) => { out[codes.codes[i]] += keep; });
    return out;
  }

  // For each sample a number from those of several columns; NaN of fewer than `least`.
  function across(columns, size, least, combine) {
    const out = new Float32Array(size).fill(NaN), there = columns.filter(Boolean);
    for (let i = 0; i < size; i++) {
      const values = [];
      for (const column of there) if (Number.isFinite(column.values[i])) values.push(column.values[i]);
      if (values.length >= least) out[i] = combine(values);
    }
    return out;
  }

  const SORTS = {
    order: () => null,
    there: (about, state, { index }) => {
      const real = state.models.filter((name) => !Scores.anchor(about, name)); // an anchor has them all
      const editors = (real.length ? real : state.models).map((name) => about.editors.indexOf(name));
      return Uint8Array.from(index.ids, (_, i) => editors.every((editor) => Scores.fate(index, editor, i)));
    },
    score: (about, state, { own }) => own && own.values,
    mean: (about, state, loaded, columns) => across(columns, about.samples, 1, (values) => values.reduce((a, b) => a + b, 0) / values.length),
    models: (about, state, loaded, columns) => across(columns, about.samples, 2, (values) => Math.max(...values) - Math.min(...values))
  };

  // Samples without the number come last, whichever way it is sorted; ties keep the benchmark's order.
  function ordered(keep, by, desc) {
    const order = Uint32Array.from(Array.from(keep.keys()).filter((i) => keep[i]));
    if (!by) return desc ? order.reverse() : order;
    const sign = desc ? -1 : 1;
    return order.sort((a, b) => {
      const x = by[a], y = by[b];
      if (x !== x || y !== y) return x === x ? -1 : y === y ? 1 : a - b;
      return x === y ? a - b : (x < y ? -sign : sign);
    });
  }

  // {state, order: positions in the benchmark's own order, index, loaded}
  async function select(about, query) {
    const state = settle(about, query), key = about.at + "?" + EG.variant + "?" + query.toString();
    if (last.key === key) return last.found;
    const [index, own, text] = await Promise.all([EG.index(about), Scores.load(about, state.e, state.m), state.q ? EG.text(about) : null]);
    const loaded = { index, own, text };
    const all = state.sort === "mean" || state.sort === "models" ? state.models : [];
    const columns = await Promise.all(all.map((editor) => Scores.load(about, editor, state.m)));
    const attribute = state.sort.startsWith("attr:") && codesOf(index, about, state.sort.slice(5));
    const by = attribute ? attribute.codes : (SORTS[state.sort] || SORTS.order)(about, state, loaded, columns);
    last = { key, found: { state, index, loaded, order: ordered(kept(about.samples, tests(about, index, state, loaded, "")), by, state.desc) } };
    return last.found;
  }

  return { select, counts, bounds, codesOf, leader };
})();
