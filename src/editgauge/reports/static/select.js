"use strict";
// Which samples an address asks for, and in which order. Columns of numbers, no pictures.
var Select = (function () {
  var last = { key: "", found: null };
  var MOST = 12; // models that are shown where the address names none

  // What the address leaves open gets a sensible value.
  function settle(about, query) {
    var known = Scores.keys(about), shownKeys = query.getAll("chip").filter(function (key) { return known.indexOf(key) >= 0; });
    var chosen = query.getAll("model").filter(function (name) { return about.editors.indexOf(name) >= 0; });
    var e = about.editors.indexOf(query.get("e")) >= 0 ? query.get("e") : "";
    var models = chosen.length ? chosen : about.editors.filter(function (name) { return !Scores.anchor(about, name); })
      .concat(about.anchors).slice(0, MOST);
    if (e && models.indexOf(e) < 0) models = [e].concat(models.slice(0, MOST - 1));
    var m = known.indexOf(query.get("m")) >= 0 ? query.get("m") : "";
    var chips = shownKeys.length ? shownKeys : Scores.defaults(about, 3);
    if (m && chips.indexOf(m) < 0) chips = [m].concat(chips.slice(0, 2));
    if (!m) m = chips[0] || "";
    return {
      models: models, chips: chips, e: e || leader(about, models, m), named: e, m: m,
      b: about.editors.indexOf(query.get("b")) >= 0 ? query.get("b") : "",
      sort: query.get("sort") || "there", desc: query.get("desc") === "1",
      status: Scores.statuses().indexOf(query.get("status")) >= 0 ? query.get("status") : "",
      q: (query.get("q") || "").toLowerCase(), where: query.getAll("where"), range: query.getAll("range")
    };
  }

  // The model that is looked at where the address names none: the leading one with scores in the metric, or the first with some.
  function leader(about, models, m) {
    var lead = Scores.lead(about), ranked = lead ? lead.lines.map(function (line) { return line.editor; }) : [];
    var scored = ranked.concat(models).filter(function (name) {
      var at = models.indexOf(name) < 0 ? -1 : Scores.column(about, name, m);
      return at >= 0 && about.columns[at].scored > 0;
    });
    return scored[0] || models[0] || "";
  }

  function codesOf(index, about, name) {
    var at = about.attributes.findIndex(function (one) { return one.name === name; });
    if (at < 0) return null;
    if (typeof index.codes[at] === "string") index.codes[at] = new Uint16Array(EG.bytes(index.codes[at]).buffer);
    return { codes: index.codes[at], about: about.attributes[at] };
  }

  function load(at, about, editor, key) {
    var which = editor && key ? Scores.column(about, editor, key) : -1;
    return which < 0 ? Promise.resolve(null) : EG.column(at, which);
  }

  // -- what is kept --

  function number(text) { return text === "" || text === undefined ? null : Number(text); }

  // "name:low:high" with open ends; the name may hold colons itself.
  function bounds(clause) {
    var parts = clause.split(":"), high = number(parts.pop()), low = number(parts.pop());
    return { name: parts.join(":"), low: low, high: high };
  }

  // One test a clause; several values of one attribute are alternatives, everything else is asked for together.
  function tests(at, about, index, state, loaded, skip) {
    var wanted = new Map(), list = [];
    state.where.forEach(function (clause) {
      var cut = clause.indexOf("="), name = clause.slice(0, cut);
      if (!wanted.has(name)) wanted.set(name, []);
      wanted.get(name).push(clause.slice(cut + 1));
    });
    wanted.forEach(function (values, name) {
      var found = codesOf(index, about, name);
      if (!found || name === skip) return;
      var codes = new Set(values.map(function (value) { return found.about.values.indexOf(value); }));
      list.push(function (i) { return codes.has(found.codes[i]); });
    });
    state.range.forEach(function (clause) {
      var ends = bounds(clause), value;
      if (ends.name === "score") {
        if (!loaded.own) return;
        value = function (i) { return loaded.own.values[i]; };
      } else {
        var found = codesOf(index, about, ends.name);
        if (!found || ends.name === skip) return;
        var numbers = found.about.values.map(function (text) { return text === "" ? NaN : Number(text); });
        value = function (i) { return numbers[found.codes[i]]; };
      }
      list.push(function (i) {
        var v = value(i);
        return v === v && (ends.low === null || v >= ends.low) && (ends.high === null || v <= ends.high);
      });
    });
    if (state.status) {
      var asked = (state.named ? [state.named] : about.editors).map(function (editor) {
        return Scores.having(index, about.editors.indexOf(editor), state.status);
      });
      list.push(function (i) { return asked.some(function (test) { return test(i); }); });
    }
    if (state.q) {
      list.push(function (i) {
        return loaded.text[i].toLowerCase().indexOf(state.q) >= 0 || index.ids[i].toLowerCase().indexOf(state.q) >= 0;
      });
    }
    return list;
  }

  function kept(size, list) {
    var keep = new Uint8Array(size);
    for (var i = 0; i < size; i++) {
      var yes = 1;
      for (var t = 0; t < list.length; t++) if (!list[t](i)) { yes = 0; break; }
      keep[i] = yes;
    }
    return keep;
  }

  // How many of the samples that the other filters keep have each value of an attribute.
  function counts(at, about, found, name) {
    var codes = codesOf(found.index, about, name), out = new Uint32Array(codes.about.values.length);
    var keep = kept(about.samples, tests(at, about, found.index, found.state, found.loaded, name));
    for (var i = 0; i < keep.length; i++) if (keep[i]) out[codes.codes[i]]++;
    return out;
  }

  // -- in which order --

  // For each sample a number from those of several columns; NaN of fewer than `least`.
  function across(columns, size, least, combine) {
    var out = new Float32Array(size).fill(NaN), there = columns.filter(Boolean);
    for (var i = 0; i < size; i++) {
      var values = [];
      for (var c = 0; c < there.length; c++) {
        var v = there[c].values[i];
        if (v === v && Number.isFinite(v)) values.push(v);
      }
      if (values.length >= least) out[i] = combine(values);
    }
    return out;
  }

  function spread(values) { return Math.max.apply(null, values) - Math.min.apply(null, values); }
  function mean(values) { return values.reduce(function (a, b) { return a + b; }, 0) / values.length; }

  function difference(a, b) {
    if (!a || !b) return null;
    var out = new Float32Array(a.values.length);
    for (var i = 0; i < out.length; i++) out[i] = a.values[i] - b.values[i];
    return out;
  }

  // The judges' keys of the metric that is looked at.
  function judges(about, key) {
    var metric = Scores.split(key).metric;
    return Scores.keys(about).filter(function (one) { return Scores.split(one).metric === metric && !Scores.person(one); });
  }

  function sorted(at, about, state, loaded) {
    var size = about.samples;
    function all(editors, keyList, done) {
      return Promise.all(editors.map(function (editor) {
        return Promise.all(keyList.map(function (key) { return load(at, about, editor, key); }));
      })).then(done);
    }
    if (state.sort === "there") {
      var rank = new Uint8Array(size), none = state.models.map(function (name) { return about.editors.indexOf(name); });
      for (var i = 0; i < size; i++) rank[i] = none.every(function (editor) { return Scores.fate(loaded.index, editor, i); }) ? 1 : 0;
      return Promise.resolve(rank.indexOf(1) < 0 || rank.indexOf(0) < 0 ? null : rank);
    }
    if (state.sort === "score") return Promise.resolve(loaded.own && loaded.own.values);
    if (state.sort === "delta") return Promise.resolve(loaded.delta);
    if (state.sort === "mean" || state.sort === "models") {
      return all(state.models, [state.m], function (found) {
        var columns = found.map(function (one) { return one[0]; });
        return across(columns, size, state.sort === "mean" ? 1 : 2, state.sort === "mean" ? mean : spread);
      });
    }
    if (state.sort === "judges") {
      return all(state.models, judges(about, state.m), function (found) {
        var each = found.map(function (columns) { return { values: across(columns, size, 2, spread) }; });
        return across(each, size, 1, function (values) { return Math.max.apply(null, values); });
      });
    }
    if (state.sort.slice(0, 5) === "attr:") {
      var codes = codesOf(loaded.index, about, state.sort.slice(5));
      return Promise.resolve(codes && codes.codes);
    }
    return Promise.resolve(null);
  }

  // Samples without the number come last, whichever way it is sorted; ties keep the benchmark's order.
  function ordered(keep, by, desc) {
    var count = 0, i;
    for (i = 0; i < keep.length; i++) count += keep[i];
    var order = new Uint32Array(count);
    for (i = 0, count = 0; i < keep.length; i++) if (keep[i]) order[count++] = i;
    if (!by) return desc ? order.reverse() : order;
    var sign = desc ? -1 : 1;
    return order.sort(function (a, b) {
      var x = by[a], y = by[b];
      if (x !== x) return y !== y ? a - b : 1;
      if (y !== y) return -1;
      return x === y ? a - b : (x < y ? -sign : sign);
    });
  }

  // {state, order: positions in the benchmark's own order, index, loaded, by: what it is sorted by}
  function select(at, about, query) {
    var state = settle(about, query);
    var key = at + "?" + EG.variant + "?" + query.toString();
    if (last.key === key) return Promise.resolve(last.found);
    return Promise.all([
      EG.index(at), load(at, about, state.e, state.m), load(at, about, state.b, state.m),
      state.q ? EG.text(at) : null
    ]).then(function (got) {
      var loaded = { index: got[0], own: got[1], text: got[3] };
      loaded.delta = difference(got[1], got[2]);
      var keep = kept(about.samples, tests(at, about, loaded.index, state, loaded, ""));
      return sorted(at, about, state, loaded).then(function (by) {
        last = { key: key, found: { state: state, order: ordered(keep, by, state.desc), index: loaded.index, loaded: loaded, by: by } };
        return last.found;
      });
    });
  }

  return {
    select: select, settle: settle, load: load, counts: counts, bounds: bounds, codesOf: codesOf,
    judges: judges, leader: leader
  };
})();
