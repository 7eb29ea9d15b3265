"use strict";
// The samples: a row each, with the instruction, the input, the reference and every chosen model beside each other.
// Rows are drawn while they are looked at; the state is the address.
const Gallery = (function () {
  const h = EG.h, CHIP = 23, MOST_VALUES = 40; // pixels of a score; values of a facet
  const opened = new Set(); // panels stay open while filters are changed

  const narrow = () => window.innerWidth < 640;
  const pixels = () => narrow() ? 110 : 150;

  function go(about, query, changes) {
    const next = new URLSearchParams(query);
    Object.entries(changes).forEach(([name, value]) => {
      next.delete(name);
      [].concat(value).forEach((one) => { if (one) next.append(name, one); });
    });
    location.hash = EG.address(["browse", about.name], next);
  }

  // -- controls --

  function control(label, id, node) {
    node.id = id;
    return h("p", { class: "control" }, h("label", { for: id }, label), node);
  }

  // options: [value, words]
  const choice = (options, chosen, change) => h("select", { onchange: (event) => change(event.target.value) },
    options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));

  // A panel is filled when it is opened.
  function panel(name, title, fill) {
    const inside = h("div", { class: "sheet-panel" });
    const node = h("details", { class: "panel", id: "panel-" + name, open: opened.has(name), ontoggle: () => {
      if (!node.open) opened.delete(name);
      else { opened.add(name); if (!inside.firstChild) EG.fill(inside, fill()); }
    } }, h("summary", {}, title), inside);
    if (node.open) EG.fill(inside, fill());
    return node;
  }

  function controls(about, query, found) {
    const state = found.state, change = (name) => (value) => go(about, query, { [name]: value }), editors = about.editors.map((name) => [name, name]);
    const search = h("input", { type: "search", value: query.get("q") || "", placeholder: "instruction or id", size: 14,
      onchange: () => go(about, query, { q: search.value.trim() }) });
    const sorts = [["there", "outputs first"], ["order", "the benchmark's order"], ["score", "score of the model"], ["mean", "mean of the models"],
      ["models", "disagreement of models"]].concat(
      about.attributes.filter((one) => one.values.length > 1).map((one) => ["attr:" + one.name, one.name]));
    const rarely = [control("Direction", "c-desc", choice([["", "lowest first"], ["1", "highest first"]], state.desc ? "1" : "", change("desc"))),
      control("Score", "c-metric", choice(Scores.keys(about).map((key) => [key, Scores.name(about, key)]), state.m, change("m"))),
      control("Model", "c-editor", choice([["", "any"]].concat(editors), state.named, change("e")))];
    return h("form", { class: "controls", "aria-label": "Filter and sort",
      onsubmit: (event) => { event.preventDefault(); go(about, query, { q: search.value.trim() }); } },
      control("Search", "c-search", search), control("Sort by", "c-sort", choice(sorts, state.sort, change("sort"))),
      narrow() ? panel("order", "By", () => rarely) : rarely, // on a phone pictures are on the first screen
      panel("filter", "Filter", () => filters(about, query, found)), panel("show", "Show", () => shown(about, query, state)),
        panel("take", "Take away", () => take(about, found)));
  }

  const toggled = (list, value, on) => on ? list.concat([value]) : list.filter((one) => one !== value);

  const box = (name, value, label, checked, change) => h("label", { class: "box" },
    h("input", { type: "checkbox", name, value, checked, onchange: (event) => change(event.target.checked) }), " ", label);

  function filters(about, query, found) {
    const state = found.state, statuses = [["", "any"]].concat(Scores.statuses().map((status) => [status, EG.words(status)]));
    return [control("Status of " + (state.named || "any model"), "c-status",
      choice(statuses, state.status, (status) => go(about, query, { status }))),
      range(about, query, state, "score", Scores.name(about, state.m) + " of " + state.e),
      about.attributes.filter((one) => one.values.length > 1).map((one) => one.numeric && one.values.length > 8
        ? range(about, query, state, one.name, one.name) : facet(about, query, found, one))];
  }

  function facet(about, query, found, one) {
    const where = found.state.where, counts = Select.counts(about, found, one.name);
    const rows = one.values.map((value, code) => ({ value, n: counts[code], clause: one.name + "=" + value }))
      .filter((row) => row.value && (row.n || where.includes(row.clause)));
    if (!one.numeric) rows.sort((a, b) => b.n - a.n);
    return h("fieldset", { "data-attribute": one.name }, h("legend", {}, one.name), rows.slice(0, MOST_VALUES).map((row) =>
      box(one.name, row.value, [row.value, " ", h("small", { class: "facet" }, row.n)], where.includes(row.clause),
        (on) => go(about, query, { where: toggled(where, row.clause, on) }))),
    rows.length > MOST_VALUES ? h("small", {}, rows.length - MOST_VALUES + " further values: use the search") : null);
  }

  function range(about, query, state, name, label) {
    const now = state.range.map(Select.bounds).find((one) => one.name === name) || { low: null, high: null };
    const end = (value, words) => h("input", { type: "number", step: "any", size: 6, value: value === null ? "" : value, "aria-label": label
      + ", " + words, placeholder: words,
      onchange: () => {
        const rest = state.range.filter((clause) => Select.bounds(clause).name !== name);
        go(about, query, { range: low.value || high.value ? rest.concat([name + ":" + low.value + ":" + high.value]) : rest });
      } });
    const low = end(now.low, "at least"), high = end(now.high, "at most");
    return h("fieldset", { class: "range", "data-range": name }, h("legend", {}, label), low, " – ", high);
  }

  function shown(about, query, state) {
    const boxes = (name, title, all, chosen, label) => h("fieldset", {}, h("legend", {}, title),
      all.map((one) => box(name, one, label(one), chosen.includes(one), (on) => {
      const next = all.filter((other) => other === one ? on : chosen.includes(other));
      go(about, query, { [name]: next.length ? next : [one] });
    })));
    return [boxes("model", "Models", about.editors, state.models, (one) => one),
    boxes("chip", "Scores below each picture", Scores.keys(about), state.chips, (key) => Scores.name(about, key))];
  }

  function chips(about, query, state) {
    const list = state.where.map((clause) => [clause, { where: toggled(state.where, clause, false) }]);
    state.range.forEach((clause) => {
      const { name, low, high } = Select.bounds(clause), label = name === "score" ? Scores.name(about, state.m) + " of " + state.e : name;
      list.push([(low === null ? "" : low + " ≤ ") + label + (high === null ? "" : " ≤ " + high), { range: toggled(state.range, clause, false) }]);
    });
    if (state.status) list.push([(state.named || "any model") + ": " + EG.words(state.status), { status: "" }]);
    if (state.q) list.push(["“" + query.get("q") + "”", { q: "" }]);
    return list.length ? h("ul", { class: "chips", "aria-label": "Filters" }, list.map(([words, change]) => h("li", {},
      h("button", { type: "button", "aria-label": "Remove filter " + words, onclick: () => go(about, query, change) }, words + " ✕")))) : null;
  }

  // -- what is taken away --

  function take(about, found) {
    const name = about.name + "-samples.txt";
    const ids = () => EG.save(name, Array.from(found.order, (at) => found.index.ids[at] + "\n").join(""), "text/plain");
    return [h("p", {}, h("button", { type: "button", id: "take-ids", onclick: ids }, "Ids of these samples (.txt)"), h("br"),
      h("small", {}, "for --sample @" + name)),
      h("p", {}, h("button", { type: "button", id: "take-csv", onclick: () => table(about, found) }, "Scores of these samples (.csv)"))];
  }

  async function table(about, { state, order, index }) {
    const pairs = state.models.flatMap((model) => state.chips.map((key) => [model, key]));
    const [text, ...columns] = await Promise.all([EG.text(about)].concat(pairs.map(([model, key]) => Scores.load(about, model, key))));
    const heads = ["sample", "instruction"].concat(pairs.map(([model, key]) => model + ": " + Scores.name(about, key) + " (" + EG.variant + ")"));
    const rows = Array.from(order, (at) => [index.ids[at], text[at]].concat(columns.map((column, number) => column && column.status[at] === 0
      ? Number(column.values[at].toPrecision(7)) : Scores.said(about, pairs[number][1], column, at)))); // as many digits as a file of the report holds
    EG.save(about.name + "-scores.csv", EG.csv([heads].concat(rows)), "text/csv");
  }

  // -- rows --

  function tile(made, slot, position, name, words, query, extra) {
    const to = new URLSearchParams(query);
    if (typeof slot === "number") to.set("e", name);
    return h("a", { class: "tile", href: EG.address(["sample", made.about.name, made.index.ids[position]], to), title: name },
      Scores.thumb(made.about, made.index, slot, position, name) || h("span", { class: "fate" }, words), extra);
  }

  function row(made, rank, query) {
    const { about, index, state } = made, position = made.order[rank], id = index.ids[position];
    const levels = state.chips.map((key) => Scores.levels(made.grid.map((columns) => {
      const column = columns.get(key);
      return column && column.status[position] === 0 ? column.values[position] : null;
    }), Scores.facts(about, key).direction));
    return h("li", { class: "row", "aria-setsize": made.order.length, "aria-posinset": rank + 1 },
      h("div", { class: "about" }, h("a", { class: "name", href: EG.address(["sample", about.name, id], query) }, id),
        made.text ? h("p", { class: "ask", dir: "auto" }, made.text[position].slice(0, 300)) : null),
      tile(made, "input", position, "Input", "no thumbnail", query), made.reference
        ? tile(made, "reference", position, "Reference", "none", query) : null,
      state.models.map((model, number) => {
        const editor = about.editors.indexOf(model);
        return tile(made, editor, position, model, Scores.fate(index, editor, position) || "no thumbnail", query,
          [Scores.returned(index, editor)[position] ? h("span", { class: "flag" }, "given back") : null,
            state.chips.map((key, k) => Scores.chip(about, key, made.grid[number].get(key), position, levels[k][number]))]);
      }));
  }

  function head(made, query) {
    const { about, state } = made, cell = (...words) => h("span", { class: "head-cell" }, words);
    return h("div", { class: "head" }, h("span", { class: "about" }, "Sample"), cell("Input"), made.reference ? cell("Reference") : null,
      state.models.map((model) => {
      const mine = state.sort === "score" && state.e === model;
      return cell(h("button", { type: "button", class: "plain", title: "Sort by " + Scores.name(about, state.m) + " of " + model,
        onclick: () => go(about, query, { e: model, sort: "score", desc: mine && !state.desc ? "1" : "" }) }, model), mine
          ? (state.desc ? " ↓" : " ↑") : null);
    }));
  }

  // -- the view --

  async function show(main, about, query, live) {
    const found = await Select.select(about, query), state = found.state, count = found.order.length;
    const grid = await Promise.all(state.models.map(async (model) => new Map(await Promise.all(state.chips.map(async (key) => [key,
      await Scores.load(about, model, key)])))));
    if (!live()) return;
    const made = { about, index: found.index, order: found.order, state, grid, text: found.loaded.text,
      reference: EG.unpacked(found.index.thumbs, "reference").some(Boolean) };
    const list = h("ol", { class: "rows", "aria-label": "Samples" });
    const frame = h("div", { class: "window", tabindex: "0", role: "region", "aria-label": "List of samples" }, head(made, query), list);
    let height = 0, drawn = "";
    function rows(anew) {
      if (anew) {
        height = pixels() + 14 + CHIP * state.chips.length + (narrow() ? 62 : 0);
        list.style.height = Math.max(1, count) * height + "px";
        frame.style.setProperty("--tile", pixels() + "px");
        frame.style.setProperty("--row", height + "px");
      }
      const from = Math.max(0, Math.floor(frame.scrollTop / height) - 3), to = Math.min(count, from + Math.ceil(frame.clientHeight / height) + 6);
      if (!anew && drawn === from + "-" + to) return;
      drawn = from + "-" + to;
      const nodes = [];
      for (let rank = from; rank < to; rank++) {
        nodes.push(row(made, rank, query));
        nodes[nodes.length - 1].style.transform = "translateY(" + rank * height + "px)";
      }
      list.replaceChildren(...nodes);
    }
    let resting = 0;
    frame.addEventListener("scroll", () => {
      requestAnimationFrame(() => rows());
      clearTimeout(resting);
      resting = setTimeout(() => { if (live()) history.replaceState({ top: frame.scrollTop, left: frame.scrollLeft }, ""); }, 120); // back returns to the same place
    }, { passive: true });
    const said = count + " of " + about.samples + " samples";
    EG.fill(main, h("h1", {}, about.title + ": samples"), controls(about, query, found), chips(about, query, state),
      h("p", { class: "found", id: "found" }, said + " · " + Scores.name(about, state.m) + Scores.arrow(Scores.facts(about, state.m).direction)
        + " of " + state.e +
        (state.models.length < about.editors.length ? " · " + state.models.length + " of " + about.editors.length + " models shown" : "")),
      count ? frame : h("p", { class: "notice" }, "No sample has all of these. Remove a filter above."));
    EG.say(said);
    rows(true);
    const before = history.state;
    if (before && before.top) { frame.scrollTop = before.top; frame.scrollLeft = before.left || 0; rows(); }
    addEventListener("resize", function again() {
      if (frame.isConnected) rows(true);
      else removeEventListener("resize", again);
    });
    made.text = made.text || await EG.text(about);
    if (live()) rows(true);
  }

  // A panel closes when something else is touched, and with Escape.
  const close = (but) => document.querySelectorAll(".panel[open]").forEach((one) => { if (one !== but) one.open = false; });
  addEventListener("pointerdown", (event) => close(event.target.closest && event.target.closest(".panel")));
  addEventListener("keydown", (event) => {
    const panel = event.key === "Escape" && document.querySelector(".panel[open]");
    if (!panel) return;
    close(null);
    panel.querySelector("summary").focus();
  });

  return { show };
})();
