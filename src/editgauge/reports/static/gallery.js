"use strict";
// The samples: a row each, with the instruction, the input, the reference and every chosen model beside each other.
// Rows are drawn while they are looked at; the state is the address.
var Gallery = (function () {
  var h = EG.h;
  var CHIP = 23, SMALLEST = 80, LARGEST = 240; // pixels
  var SHEET = 24, ACROSS = 6; // rows of a contact sheet and pictures beside each other: six pages at most
  var opened = new Set(); // panels stay open while filters are changed
  var current = null; // what a print would show

  function size() {
    var asked = Number(EG.recall("size")) || (narrow() ? 110 : 150);
    return Math.min(LARGEST, Math.max(SMALLEST, asked));
  }

  function narrow() { return window.innerWidth < 640; }

  function go(about, query, changes) {
    var next = new URLSearchParams(query);
    Object.keys(changes).forEach(function (name) {
      next.delete(name);
      [].concat(changes[name]).forEach(function (value) { if (value) next.append(name, value); });
    });
    location.hash = EG.address(["browse", about.name], next);
  }

  // -- controls --

  function option(value, text, chosen) { return h("option", { value: value, selected: value === chosen }, text); }

  function control(label, id, node) {
    node.id = id;
    return h("p", { class: "control" }, h("label", { for: id }, label), node);
  }

  // A panel is filled when it is opened.
  function panel(name, title, fill) {
    var inside = h("div", { class: "sheet-panel" });
    var node = h("details", { class: "panel", id: "panel-" + name, open: opened.has(name), ontoggle: function () {
      if (node.open) { opened.add(name); if (!inside.firstChild) EG.fill(inside, fill()); } else opened.delete(name);
    } }, h("summary", {}, title), inside);
    if (node.open) EG.fill(inside, fill());
    return node;
  }

  function controls(at, about, query, found) {
    var state = found.state, keys = Scores.keys(about);
    function choose(name, options, clear) {
      return h("select", { onchange: function (event) {
        var change = {};
        change[name] = event.target.value;
        go(about, query, Object.assign(change, clear || {}));
      } }, options);
    }
    var search = h("input", { type: "search", value: query.get("q") || "", placeholder: "instruction or id", size: 14,
      onchange: function () { go(about, query, { q: search.value.trim() }); } });
    var sorts = [["there", "outputs first"], ["order", "the benchmark's order"], ["score", "score of the model"], ["mean", "mean of the models"],
      ["models", "disagreement of models"]];
    if (Select.judges(about, state.m).length > 1) sorts.push(["judges", "disagreement of judges"]);
    sorts.push(["delta", "difference of two models"]);
    about.attributes.forEach(function (one) { if (one.values.length > 1) sorts.push(["attr:" + one.name, one.name]); });
    return h("form", { class: "controls", "aria-label": "Filter and sort", onsubmit: function (event) {
      event.preventDefault();
      go(about, query, { q: search.value.trim() });
    } },
    control("Search", "c-search", search),
    control("Sort by", "c-sort", choose("sort", sorts.map(function (one) { return option(one[0], one[1], state.sort); }))),
    ordering([control("Direction", "c-desc", choose("desc", [option("", "lowest first", state.desc ? "1" : ""),
      option("1", "highest first", state.desc ? "1" : "")])),
    control("Score", "c-metric", choose("m", keys.map(function (key) { return option(key, Scores.name(about, key), state.m); }))),
    control("Model", "c-editor", choose("e", [option("", "any", state.named)].concat(
      about.editors.map(function (e) { return option(e, e, state.named); }))))]),
    state.sort === "delta" ? control("minus model", "c-other", choose("b", [option("", "none", state.b)].concat(about.editors.filter(function (e) {
      return e !== state.e;
    }).map(function (e) { return option(e, e, state.b); })))) : null,
    panel("filter", "Filter", function () { return filters(at, about, query, found); }),
    panel("show", "Show", function () { return shown(about, query, state); }),
    panel("take", "Take away", function () { return take(at, about, found); }));
  }

  // On a phone what is rarely touched lies behind a button, so that pictures are on the first screen.
  function ordering(nodes) { return narrow() ? panel("order", "By", function () { return nodes; }) : nodes; }

  function toggled(list, value, on) {
    return on ? list.concat([value]) : list.filter(function (one) { return one !== value; });
  }

  function box(name, value, label, checked, change) {
    return h("label", { class: "box" }, h("input", { type: "checkbox", name: name, value: value, checked: checked,
      onchange: function (event) { change(event.target.checked); } }), " ", label);
  }

  function filters(at, about, query, found) {
    var state = found.state;
    var status = h("select", { onchange: function () { go(about, query, { status: status.value }); } },
      [option("", "any", state.status)].concat(Scores.statuses().map(function (s) { return option(s, EG.words(s), state.status); })));
    return [control("Status of " + (state.named || "any model"), "c-status", status),
      range(about, query, state, "score", Scores.name(about, state.m) + " of " + state.e),
      about.attributes.filter(function (one) { return one.values.length > 1; }).map(function (one) {
        if (one.numeric && one.values.length > 8) return range(about, query, state, one.name, one.name);
        return facet(at, about, query, found, one);
      })];
  }

  function facet(at, about, query, found, one) {
    var MOST = 40, state = found.state, counts = Select.counts(at, about, found, one.name);
    var rows = one.values.map(function (value, code) { return { value: value, n: counts[code], clause: one.name + "=" + value }; })
      .filter(function (row) { return row.value && (row.n || state.where.indexOf(row.clause) >= 0); });
    if (!one.numeric) rows.sort(function (a, b) { return b.n - a.n; });
    return h("fieldset", { "data-attribute": one.name }, h("legend", {}, one.name), rows.slice(0, MOST).map(function (row) {
      return box(one.name, row.value, [row.value, " ", h("small", { class: "facet" }, row.n)], state.where.indexOf(row.clause) >= 0,
        function (on) { go(about, query, { where: toggled(state.where, row.clause, on) }); });
    }), rows.length > MOST ? h("small", {}, rows.length - MOST + " further values: use the search") : null);
  }

  function range(about, query, state, name, label) {
    var now = state.range.map(Select.bounds).find(function (one) { return one.name === name; }) || { low: null, high: null };
    function end(which) {
      return h("input", { type: "number", step: "any", size: 6, value: now[which] === null ? "" : String(now[which]),
        "aria-label": label + (which === "low" ? ", at least" : ", at most"), placeholder: which === "low" ? "from" : "to", onchange: set });
    }
    var low = end("low"), high = end("high");
    function set() {
      var rest = state.range.filter(function (clause) { return Select.bounds(clause).name !== name; });
      go(about, query, { range: low.value || high.value ? rest.concat([name + ":" + low.value + ":" + high.value]) : rest });
    }
    return h("fieldset", { class: "range", "data-range": name }, h("legend", {}, label), low, " – ", high);
  }

  function shown(about, query, state) {
    var slider = h("input", { type: "range", min: SMALLEST, max: LARGEST, step: 10, value: size(), oninput: function () {
      EG.remember("size", slider.value);
      dispatchEvent(new Event("resize"));
    } });
    function boxes(name, title, all, chosen, label) {
      return h("fieldset", {}, h("legend", {}, title), all.map(function (one) {
        return box(name, one, label(one), chosen.indexOf(one) >= 0, function (on) {
          var change = {}, next = all.filter(function (other) { return other === one ? on : chosen.indexOf(other) >= 0; });
          change[name] = next.length ? next : [one];
          go(about, query, change);
        });
      }));
    }
    return [control("Size of pictures", "c-size", slider),
      boxes("model", "Models", about.editors, state.models, function (one) { return one; }),
      boxes("chip", "Scores below each picture", Scores.keys(about), state.chips, function (key) { return Scores.name(about, key); })];
  }

  function chips(about, query, state) {
    var list = [];
    state.where.forEach(function (clause) { list.push([clause, { where: toggled(state.where, clause, false) }]); });
    state.range.forEach(function (clause) {
      var one = Select.bounds(clause), label = one.name === "score" ? Scores.name(about, state.m) + " of " + state.e : one.name;
      var words = (one.low === null ? "" : one.low + " ≤ ") + label + (one.high === null ? "" : " ≤ " + one.high);
      list.push([words, { range: toggled(state.range, clause, false) }]);
    });
    if (state.status) list.push([(state.named || "any model") + ": " + EG.words(state.status), { status: "" }]);
    if (state.q) list.push(["“" + query.get("q") + "”", { q: "" }]);
    if (!list.length) return null;
    return h("ul", { class: "chips", "aria-label": "Filters" }, list.map(function (one) {
      return h("li", {}, h("button", { type: "button", "aria-label": "Remove filter " + one[0],
        onclick: function () { go(about, query, one[1]); } }, one[0] + " ✕"));
    }), list.length > 1 ? h("li", {}, h("button", { type: "button", onclick: function () {
      go(about, query, { where: [], range: [], status: "", q: "" });
    } }, "remove all")) : null);
  }

  // -- what is taken away --

  function take(at, about, found) {
    function ids() { return Array.from(found.order, function (position) { return found.index.ids[position]; }); }
    return [h("p", {}, h("button", { type: "button", id: "take-ids", onclick: function () {
      EG.save(about.name + "-samples.txt", ids().join("\n") + "\n");
    } }, "Ids of these samples (.txt)"), h("br"), h("small", {}, "for --sample @" + about.name + "-samples.txt")),
    h("p", {}, h("button", { type: "button", id: "take-csv", onclick: function () { table(at, about, found); } }, "Scores of these samples (.csv)")),
    h("p", {}, h("button", { type: "button", id: "take-print", onclick: function () { sheet(true); } }, "Contact sheet to print"))];
  }

  function table(at, about, found) {
    var state = found.state, pairs = [];
    state.models.forEach(function (model) { state.chips.forEach(function (key) { pairs.push([model, key]); }); });
    return Promise.all([EG.text(at)].concat(pairs.map(function (one) { return Select.load(at, about, one[0], one[1]); }))).then(function (got) {
      var text = got[0], columns = got.slice(1);
      var rows = [["sample", "instruction"].concat(pairs.map(function (one) { return one[0] + ": " + Scores.name(about, one[1]) + " (" + EG.variant + ")"; }))];
      found.order.forEach(function (position) {
        rows.push([found.index.ids[position], text[position]].concat(columns.map(function (column, number) {
          if (!column || column.status[position] !== 0) return Scores.said(about, pairs[number][1], column, position);
          return Number(column.values[position].toPrecision(7)); // as many digits as a file of the report holds
        })));
      });
      EG.save(about.name + "-scores.csv", EG.lines(rows), "text/csv");
    });
  }

  // -- rows --

  function levelsOf(about, grid, key, position) {
    return Scores.levels(grid.map(function (columns) {
      var column = columns.get(key);
      return column && column.status[position] === 0 ? column.values[position] : null;
    }), Scores.facts(about, key).direction);
  }

  function tile(made, slot, position, name, words, href, below, returned) {
    var picture = Scores.thumb(made.at, made.index, slot, position, name);
    return h("a", { class: "tile", href: href, title: name }, picture || h("span", { class: "fate" }, words || "no thumbnail"),
      returned ? h("span", { class: "flag" }, "given back") : null, below ? h("span", { class: "below" }, below) : null);
  }

  function address(made, id, query, editor) {
    var next = new URLSearchParams(query);
    if (editor) next.set("e", editor);
    return EG.address(["sample", made.about.name, id], next);
  }

  function about(made, position, query) {
    var id = made.index.ids[position];
    return h("div", { class: "about" }, h("a", { class: "name", href: address(made, id, query) }, id),
      made.text ? h("p", { class: "ask", dir: "auto" }, made.text[position].slice(0, 300)) : null);
  }

  function row(made, rank, query) {
    var position = made.order[rank], id = made.index.ids[position], state = made.state;
    var levels = state.chips.map(function (key) { return levelsOf(made.about, made.grid, key, position); });
    return h("li", { class: "row", "aria-setsize": made.order.length, "aria-posinset": rank + 1 }, about(made, position, query),
      tile(made, "input", position, "Input", "no thumbnail", address(made, id, query)),
      made.reference ? tile(made, "reference", position, "Reference", "none", address(made, id, query)) : null,
      state.models.map(function (model, number) {
        var editor = made.about.editors.indexOf(model);
        return tile(made, editor, position, model, Scores.fate(made.index, editor, position), address(made, id, query, model),
          state.chips.map(function (key, k) {
            return Scores.chip(made.about, key, made.grid[number].get(key), position, levels[k][number], made.twice.has(Scores.split(key).metric));
          }), Scores.returned(made.index, editor)[position]);
      }));
  }

  function head(made, query) {
    function cell(words, extra) { return h("span", { class: "head-cell" }, words, extra); }
    return h("div", { class: "head" }, h("span", { class: "about" }, "Sample"), cell("Input"), made.reference ? cell("Reference") : null,
      made.state.models.map(function (model) {
        return cell(h("button", { type: "button", class: "plain", title: "Sort by " + Scores.name(made.about, made.state.m) + " of " + model,
          onclick: function () {
            var again = made.state.sort === "score" && made.state.named === model;
            go(made.about, query, { e: model, sort: "score", desc: again && !made.state.desc ? "1" : "" });
          } }, model), made.state.sort === "score" && made.state.e === model ? (made.state.desc ? " ↓" : " ↑") : null);
      }));
  }

  function any(bits) {
    if (!bits) return false;
    if (typeof bits === "string") return /[^A=]/.test(bits); // base64 of zeros is all A
    return bits.some(Boolean);
  }

  // -- the view --

  function load(at, about, found) {
    var state = found.state;
    return Promise.all(state.models.map(function (model) {
      var columns = new Map();
      return Promise.all(state.chips.map(function (key) {
        return Select.load(at, about, model, key).then(function (column) { columns.set(key, column); });
      })).then(function () { return columns; });
    }));
  }

  function show(main, at, about, query, live) {
    return Select.select(at, about, query).then(function (found) {
      return load(at, about, found).then(function (grid) { if (live()) draw(main, at, about, query, live, found, grid); });
    });
  }

  function draw(main, at, about, query, live, found, grid) {
    var state = found.state, count = found.order.length;
    var made = { at: at, about: about, index: found.index, order: found.order, state: state, loaded: found.loaded, grid: grid,
      text: found.loaded.text, reference: any(found.index.thumbs && found.index.thumbs.reference) };
    made.twice = new Set(state.chips.map(function (key) { return Scores.split(key).metric; }).filter(function (metric, at, all) {
      return all.indexOf(metric) !== at;
    }));
    var said = count + " of " + about.samples + " samples";
    var list = h("ol", { class: "rows", "aria-label": "Samples" });
    var frame = h("div", { class: "window", tabindex: "0", role: "region", "aria-label": "List of samples" },
      head(made, query), list);
    var at0 = { from: -1, to: -1 }, height = 0;
    function measure() {
      height = size() + 14 + CHIP * state.chips.length + (narrow() ? 62 : 0);
      list.style.height = Math.max(1, count) * height + "px";
      frame.style.setProperty("--tile", size() + "px");
      frame.style.setProperty("--row", height + "px");
      at0 = { from: -1, to: -1 };
    }
    function rows() {
      var room = 3;
      var from = Math.max(0, Math.floor(frame.scrollTop / height) - room);
      var to = Math.min(count, from + Math.ceil(frame.clientHeight / height) + 2 * room);
      if (from === at0.from && to === at0.to) return;
      at0 = { from: from, to: to };
      var nodes = [];
      for (var rank = from; rank < to; rank++) {
        var node = row(made, rank, query);
        node.style.transform = "translateY(" + rank * height + "px)";
        nodes.push(node);
      }
      list.replaceChildren.apply(list, nodes);
    }
    var resting = 0;
    frame.addEventListener("scroll", function () {
      requestAnimationFrame(rows);
      clearTimeout(resting);
      resting = setTimeout(function () { // back returns to the same place
        if (live()) history.replaceState({ top: frame.scrollTop, left: frame.scrollLeft }, "");
      }, 120);
    }, { passive: true });
    current = { made: made, query: query, said: said, sorting: "" };
    EG.fill(main, h("h1", {}, about.title + ": samples"), controls(at, about, query, found), chips(about, query, state),
      h("p", { class: "found", id: "found" }, said + " · " + Scores.name(about, state.m) + Scores.arrow(about, state.m) + " of " + state.e +
        (state.models.length < about.editors.length ? " · " + state.models.length + " of " + about.editors.length + " models shown" : "")),
      count ? frame : h("p", { class: "notice" }, "No sample has all of these. Remove a filter above."),
      h("div", { class: "print-only", id: "sheet" }));
    var sorting = document.getElementById("c-sort").selectedOptions[0];
    current.sorting = sorting ? sorting.textContent + (state.desc ? ", highest first" : "") : state.sort;
    EG.say(said);
    measure();
    rows();
    var before = history.state;
    if (before && before.top) { frame.scrollTop = before.top; frame.scrollLeft = before.left || 0; rows(); }
    addEventListener("resize", function again() {
      if (!frame.isConnected) return removeEventListener("resize", again);
      measure();
      rows();
    });
    if (!made.text) EG.text(at).then(function (text) {
      made.text = text;
      at0 = { from: -1, to: -1 };
      if (live()) rows();
    });
  }

  // -- print: a contact sheet that is whole, in place of a list of which a window is seen --

  function sheet(now) {
    var place = document.getElementById("sheet");
    if (!place || !current) return;
    var made = current.made, query = current.query, rows = [];
    var across = made.state.models.length + 1 + (made.reference ? 1 : 0), most = Math.max(4, Math.floor(SHEET * ACROSS / Math.max(ACROSS, across)));
    var last = Math.min(made.order.length, most);
    for (var rank = 0; rank < last; rank++) rows.push(row(made, rank, query));
    EG.fill(place, h("h2", {}, "Contact sheet"),
      h("p", {}, current.said + (last < made.order.length ? "; the first " + last + " of them are shown" : "") + ". Order: " + current.sorting +
        ". Scores: " + made.state.chips.map(function (key) { return Scores.name(made.about, key) + Scores.arrow(made.about, key); }).join(", ") +
        " (" + EG.variant + ")."),
      h("ol", { class: "contact" }, rows));
    place.querySelectorAll("img").forEach(function (image) { image.loading = "eager"; });
    place.querySelectorAll(".tile").forEach(function (one) { one.prepend(h("small", { class: "tile-name" }, one.title)); });
    if (!now) return;
    var waiting = Array.from(place.querySelectorAll("img"), function (image) { return image.decode().catch(function () {}); });
    Promise.all(waiting).then(function () { window.print(); });
  }

  // A panel closes when something else is touched, and with Escape.
  function close(but) {
    document.querySelectorAll(".panel[open]").forEach(function (one) { if (one !== but) one.open = false; });
  }
  addEventListener("pointerdown", function (event) { close(event.target.closest && event.target.closest(".panel")); });
  addEventListener("keydown", function (event) {
    var panel = event.key === "Escape" && document.querySelector(".panel[open]");
    if (!panel) return;
    close(null);
    panel.querySelector("summary").focus();
  });
  addEventListener("beforeprint", function () { sheet(false); });

  return { show: show };
})();
