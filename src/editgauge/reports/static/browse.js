"use strict";
// The sample browser: filter and sort columns of numbers, show some dozens of rows at a time.
var Browse = (function () {
  var h = EG.h;
  var ROW = 84; // pixels; 200,000 rows stay below the height that browsers can lay out
  var last = { key: "", order: null };

  function metricKey(column) { return [column.metric, column.variant, column.source].join("|"); }

  function metricName(column) {
    return column.metric + (column.variant === "corrected" ? " (corrected)" : "") +
      (column.source ? " · " + column.source : "");
  }

  function metrics(about) {
    var seen = new Map();
    about.columns.forEach(function (column) {
      if (!seen.has(metricKey(column))) seen.set(metricKey(column), column);
    });
    return seen;
  }

  function columnOf(about, editor, metric) {
    return about.columns.findIndex(function (c) { return c.editor === editor && metricKey(c) === metric; });
  }

  // What the address leaves open gets a sensible value.
  function settle(about, query) {
    var known = metrics(about);
    var e = about.editors.indexOf(query.get("e")) >= 0 ? query.get("e") : about.editors[0] || "";
    var m = known.has(query.get("m")) ? query.get("m") : "";
    if (!m) {
      known.forEach(function (column, key) { if (!m && columnOf(about, e, key) >= 0) m = key; });
    }
    return {
      e: e, m: m,
      b: about.editors.indexOf(query.get("b")) >= 0 ? query.get("b") : "",
      m2: known.has(query.get("m2")) ? query.get("m2") : "",
      sort: query.get("sort") || "order", desc: query.get("desc") === "1",
      status: query.get("status") || "", q: (query.get("q") || "").toLowerCase(),
      where: query.getAll("where")
    };
  }

  function attributeCodes(found, about, name) {
    var at = about.attributes.findIndex(function (one) { return one.name === name; });
    if (at < 0) return null;
    if (typeof found.codes[at] === "string") {
      found.codes[at] = new Uint16Array(EG.bytes(found.codes[at]).buffer);
    }
    return { codes: found.codes[at], about: about.attributes[at] };
  }

  // Positions in percent: which share of samples this one is better than. Makes metrics of any scale comparable.
  function percentiles(values, direction) {
    var order = [];
    for (var i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) order.push(i);
    order.sort(function (a, b) { return values[a] - values[b]; });
    var out = new Float32Array(values.length).fill(NaN);
    for (var start = 0; start < order.length;) {
      var end = start;
      while (end + 1 < order.length && values[order[end + 1]] === values[order[start]]) end++;
      var share = order.length > 1 ? (start + end) / 2 / (order.length - 1) : 0.5;
      for (var k = start; k <= end; k++) out[order[k]] = direction === "lower" ? 1 - share : share;
      start = end + 1;
    }
    return out;
  }

  function columns(at, about, state) {
    function one(editor, metric) {
      var which = editor && metric ? columnOf(about, editor, metric) : -1;
      return which < 0 ? Promise.resolve(null) : EG.column(at, which);
    }
    return Promise.all([one(state.e, state.m), one(state.b, state.m), one(state.e, state.m2)]);
  }

  function difference(a, b) {
    if (!a || !b) return null;
    var out = new Float32Array(a.values.length);
    for (var i = 0; i < out.length; i++) out[i] = a.values[i] - b.values[i];
    return out;
  }

  // The samples that the address asks for, in its order: positions in the benchmark's own order.
  function select(at, about, query) {
    var state = settle(about, query);
    var key = at + "?" + query.toString();
    if (last.key === key) return Promise.resolve(Object.assign({ state: state }, last.found));
    return Promise.all([
      EG.index(at), columns(at, about, state), state.q ? EG.text(at) : Promise.resolve(null)
    ]).then(function (loaded) {
      var found = loaded[0], own = loaded[1][0], other = loaded[1][1], second = loaded[1][2], text = loaded[2];
      var size = about.samples;
      var keep = new Uint8Array(size).fill(1);
      state.where.forEach(function (clause) {
        var cut = clause.indexOf("="), codes = attributeCodes(found, about, clause.slice(0, cut));
        if (!codes) return;
        var wanted = codes.about.values.indexOf(clause.slice(cut + 1));
        for (var i = 0; i < size; i++) if (codes.codes[i] !== wanted) keep[i] = 0;
      });
      if (state.status) {
        var wantedStatus = EG.meta.statuses.indexOf(state.status);
        for (var i = 0; i < size; i++) if (!own || own.status[i] !== wantedStatus) keep[i] = 0;
      }
      if (state.q) {
        for (var j = 0; j < size; j++) {
          if (keep[j] && text[j].toLowerCase().indexOf(state.q) < 0 && found.ids[j].toLowerCase().indexOf(state.q) < 0) {
            keep[j] = 0;
          }
        }
      }
      var direction = state.m ? metrics(about).get(state.m).direction : "higher";
      var delta = difference(own, other), clash = null, sortBy = null;
      var against = state.m2 ? metrics(about).get(state.m2).direction : null;
      if (own && second && direction && against) {  // who disagrees is not known without a direction
        var x = percentiles(own.values, direction);
        var y = percentiles(second.values, against);
        clash = new Float32Array(size);
        for (var d = 0; d < size; d++) clash[d] = Math.abs(x[d] - y[d]);
      }
      if (state.sort === "score" && own) sortBy = own.values;
      if (state.sort === "delta") sortBy = delta;
      if (state.sort === "disagree") sortBy = clash;
      if (state.sort.slice(0, 5) === "attr:") {
        var codes = attributeCodes(found, about, state.sort.slice(5));
        sortBy = codes && codes.codes;
      }
      var order = ordered(keep, sortBy, state.desc);
      last = { key: key, found: { order: order, index: found, own: own, other: other, second: second, delta: delta, clash: clash } };
      return Object.assign({ state: state }, last.found);
    });
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

  function thumb(at, slot, position, words, width) {
    if (!EG.meta.thumbnails) return null;
    return h("img", {
      class: "thumb", loading: "lazy", decoding: "async", alt: words || "",
      src: "thumbs/" + at + "/" + slot + "/" + position + ".webp", width: width || 72, height: 72,
      onerror: function (event) { event.target.classList.add("gone"); }
    });
  }

  function go(about, query, changes) {
    var next = new URLSearchParams(query);
    Object.keys(changes).forEach(function (name) {
      if (changes[name]) next.set(name, changes[name]);
      else next.delete(name);
    });
    location.hash = EG.address(["browse", about.name], next);
  }

  function option(value, text, chosen) { return h("option", { value: value, selected: value === chosen }, text); }

  function control(label, id, node) {
    node.id = id;
    return h("p", { class: "control" }, h("label", { for: id }, label), node);
  }

  function controls(about, query, state) {
    var list = [];
    metrics(about).forEach(function (column, key) { list.push([key, metricName(column)]); });
    function choose(name, options) {
      return h("select", { onchange: function (event) {
        var change = {};
        change[name] = event.target.value;
        go(about, query, change);
      } }, options);
    }
    var attributes = about.attributes.filter(function (one) { return one.values.length > 1 && one.values.length <= 400; });
    var values = h("select", { onchange: function () {
      if (values.value) addWhere(about, query, names.value + "=" + values.value);
    } });
    var names = h("select", { onchange: fill }, option("", "choose…", ""),
      attributes.map(function (one) { return option(one.name, one.name, ""); }));
    function fill() {
      var one = attributes.find(function (a) { return a.name === names.value; });
      values.replaceChildren(option("", one ? "choose a value…" : "–", ""));
      (one ? one.values : []).forEach(function (value) {
        if (value) values.append(option(value, value, ""));
      });
    }
    fill();
    var search = h("input", { type: "search", value: query.get("q") || "", placeholder: "instruction or id",
      onchange: function () { go(about, query, { q: search.value.trim() }); } });
    return h("form", { class: "controls", "aria-label": "Filter and sort", onsubmit: function (event) {
      event.preventDefault();
      go(about, query, { q: search.value.trim() });
    } },
    control("Editor", "c-editor", choose("e", about.editors.map(function (e) { return option(e, e, state.e); }))),
    control("Score", "c-metric", choose("m", list.map(function (m) { return option(m[0], m[1], state.m); }))),
    control("Against editor", "c-other", choose("b", [option("", "none", state.b)].concat(
      about.editors.filter(function (e) { return e !== state.e; }).map(function (e) { return option(e, e, state.b); })))),
    control("Against score", "c-second", choose("m2", [option("", "none", state.m2)].concat(
      list.filter(function (m) { return m[0] !== state.m; }).map(function (m) { return option(m[0], m[1], state.m2); })))),
    control("Sort by", "c-sort", choose("sort", [
      option("order", "benchmark's order", state.sort), option("score", "score", state.sort),
      option("delta", "difference of the two editors", state.sort),
      option("disagree", "disagreement of the two scores", state.sort)
    ].concat(attributes.map(function (one) { return option("attr:" + one.name, one.name, state.sort); })))),
    control("Direction", "c-desc", choose("desc", [option("", "ascending", state.desc ? "1" : ""),
      option("1", "descending", state.desc ? "1" : "")])),
    control("Status", "c-status", choose("status", [option("", "any", state.status)].concat(
      EG.meta.statuses.map(function (s) { return option(s, EG.words(s), state.status); })))),
    control("Attribute", "c-attribute", names),
    control("Value", "c-value", values),
    control("Search", "c-search", search));
  }

  function addWhere(about, query, clause) {
    var next = new URLSearchParams(query);
    if (next.getAll("where").indexOf(clause) < 0) next.append("where", clause);
    location.hash = EG.address(["browse", about.name], next);
  }

  function chips(about, query, state) {
    if (!state.where.length) return null;
    return h("ul", { class: "chips", "aria-label": "Filters" }, state.where.map(function (clause) {
      return h("li", {}, h("button", { type: "button", "aria-label": "Remove filter " + clause, onclick: function () {
        var next = new URLSearchParams(query), rest = next.getAll("where");
        next.delete("where");
        rest.forEach(function (one) { if (one !== clause) next.append("where", one); });
        location.hash = EG.address(["browse", about.name], next);
      } }, clause + " ✕"));
    }));
  }

  function line(at, about, query, found, rank) {
    var position = found.order[rank], state = found.state, id = found.index.ids[position];
    var own = found.own, other = found.other;
    function score(column) {
      if (!column) return "–";
      var value = column.values[position], code = column.status[position];
      if (code === 255) return "not scored";
      return code === 0 ? EG.number(value) : EG.words(EG.meta.statuses[code]);
    }
    var editor = about.editors.indexOf(state.e), second = about.editors.indexOf(state.b);
    return h("li", { class: "line", "aria-setsize": found.order.length, "aria-posinset": rank + 1 },
      h("a", { href: EG.address(["sample", about.name, id], query) },
        h("span", { class: "thumbs" },
          thumb(at, "input", position), editor >= 0 ? thumb(at, editor, position) : null,
          second >= 0 ? thumb(at, second, position) : null),
        h("span", { class: "name" }, id),
        h("span", { class: "score" }, score(own)),
        other ? h("span", { class: "score other" }, score(other)) : null,
        found.delta ? h("span", { class: "score delta" }, "Δ " + EG.number(found.delta[position])) : null,
        found.second ? h("span", { class: "score other" }, score(found.second)) : null));
  }

  function show(main, at, about, query, live) {
    return select(at, about, query).then(function (found) {
      if (!live()) return;
      var state = found.state;
      var count = found.order.length;
      var said = count + " of " + about.samples + " samples";
      var list = h("ol", { class: "lines", "aria-label": "Samples" });
      var frame = h("div", { class: "window", tabindex: "0", role: "region", "aria-label": "List of samples" }, list);
      list.style.height = Math.max(1, count) * ROW + "px";
      var shown = { from: -1, to: -1 };
      function draw() {
        var from = Math.max(0, Math.floor(frame.scrollTop / ROW) - 8);
        var to = Math.min(count, from + Math.ceil(frame.clientHeight / ROW) + 16);
        if (from === shown.from && to === shown.to) return;
        shown = { from: from, to: to };
        var rows = [];
        for (var rank = from; rank < to; rank++) {
          var row = line(at, about, query, found, rank);
          row.style.transform = "translateY(" + rank * ROW + "px)";
          rows.push(row);
        }
        list.replaceChildren.apply(list, rows);
      }
      frame.addEventListener("scroll", function () { requestAnimationFrame(draw); }, { passive: true });
      var shownMetric = state.m ? metricName(metrics(about).get(state.m)) : "no score";
      EG.fill(main, 
        h("h1", {}, about.title + ": samples"),
        controls(about, query, state), chips(about, query, state),
        h("p", { class: "found", id: "found" }, said + " · " + shownMetric + " of " + state.e),
        frame);
      EG.say(said);
      draw();
      addEventListener("resize", draw, { once: false });
    });
  }

  return {
    show: show, select: select, settle: settle, metrics: metrics, metricName: metricName, metricKey: metricKey,
    columnOf: columnOf, thumb: thumb, percentiles: percentiles
  };
})();
