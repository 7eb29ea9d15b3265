"use strict";
// The papers' tables, the figures, coverage and cost, and what every score means.
const Tables = (function () {
  const h = EG.h;

  // What a number opens: the samples behind it, by the score that it shows, the worst first.
  function cellLink(about, table, row, column) {
    if (row.kind !== "run" || !about.editors.includes(row.name)) return null;
    const link = (table.meta && table.meta.links || {})[column.name], query = new URLSearchParams({ e: row.name });
    if (link) {
      const key = Scores.keys(about).find((one) => {
        const { metric, source } = Scores.split(one);
        return metric === link.metric && !Scores.person(one) && (!table.meta.made_by || !source || source === table.meta.made_by);
      });
      if (key) {
        query.set("m", key);
        query.set("sort", "score");
        if (Scores.facts(about, key).direction === "lower") query.set("desc", "1");
      }
      Object.entries(link.where || {}).forEach(([name, value]) => query.append("where", name + "=" + value));
    }
    if (table.by && row.group) query.append("where", table.by + "=" + row.group);
    return EG.address(["browse", about.name], query);
  }

  function heads(columns) {
    const levels = Math.max(1, ...columns.map((c) => c.heading.length)), rows = [];
    for (let level = 0; level < levels; level++) {
      const cells = [], bottom = level === levels - 1;
      for (let at = 0, span; at < columns.length; at += span) {
        const column = columns[at], text = column.heading[level - (levels - column.heading.length)] || "";
        for (span = 1; !bottom && at + span < columns.length && columns[at + span].heading[0] === column.heading[0];) span++;
        cells.push(h("th", { scope: span > 1 ? "colgroup" : "col", colspan: span > 1 ? span : null, title: column.note || null },
          text + (bottom ? Scores.arrow(column.direction) : "")));
      }
      rows.push(h("tr", {}, level === 0 ? h("th", { scope: "col", rowspan: levels > 1 ? levels : null }, "model") : null, cells));
    }
    return rows;
  }

  const own = (row) => row.kind !== "published" && row.kind !== "mean";

  // The paper's heading over the lines that follow, where its table has groups of models.
  function section(table, at) {
    const row = table.rows[at], before = at ? table.rows[at - 1] : { section: "" };
    const same = (row.section || "") === (before.section || "") && (!at || own(row) === own(before));
    if (same || !table.rows.some((one) => one.section)) return null;
    return h("tr", { class: "section" }, h("th", { scope: "rowgroup", colspan: table.columns.length + 1 }, row.section || "Further models"));
  }

  function cell(about, table, row, column) {
    const one = row.cells[column.name];
    if (!one) return h("td", {}, "–");
    const text = one.text ?? (one.infinite ? "∞" : EG.number(one.value, column.digits));
    const link = one.value !== null || one.infinite || one.n === 0 ? cellLink(about, table, row, column) : null;
    const inside = one.place === 1 ? h("strong", {}, text) : one.place === 2 ? h("u", {}, text) : text;
    return h("td", { "data-column": column.name, "data-value": one.value === null ? "" : one.value }, link ? h("a", { href: link }, inside) : inside,
      (one.low ?? null) !== null ? h("small", { class: "interval" }, " " + EG.interval(one, column.digits)) : null,
      one.n !== undefined ? h("small", { class: "count" }, " " + one.n + "/" + one.of) : null);
  }

  function node(about, table, number) {
    const id = "t" + about.name + number, source = table.source ? " · " + Scores.short(about, table.source) : "";
    return h("section", { class: "table", "aria-labelledby": id },
      h("h2", { id }, table.title + (table.variant ? " (" + table.variant + ")" : "") + source),
      lines(about, table));
  }

  function lines(about, table) {
    return [h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of " + table.title + " " + (table.source || "") },
      h("table", { "data-table": table.name, "data-variant": table.variant }, h("thead", {}, heads(table.columns)),
        h("tbody", {}, table.rows.map((row, at) => [section(table, at), h("tr", { class: row.kind + (row.part ? " part" : "") },
          h("th", { scope: "row" }, (row.group ? row.group + " · " : "") + row.name + (own(row) ? "" : " †") +
            (row.as_released ? " (as released)" : "") + (row.part ? " ‡" : "")),
          table.columns.map((column) => cell(about, table, row, column)))])))),
      h("ul", { class: "notes" }, (table.notes || []).map((note) => h("li", {}, note)))];
  }

  // The tables of the report's variant; one that has no twin of that variant is shown as it is.
  function shown(about) {
    return about.tables.filter((table) => {
      return !table.variant || table.variant === EG.variant || !about.tables.some((other) => other.name === table.name &&
        other.source === table.source && other.variant === EG.variant);
    });
  }

  function coverage(about) {
    const counted = (one, status, n) => n ? h("a", { "data-status": status,
      href: EG.address(["browse", about.name], new URLSearchParams({ e: one.editor, status })) }, n) : "0";
    return EG.table("Coverage and cost: samples by status, all scores together",
      ["editor", "outputs", "given back", "seconds each", "cost, US$"].concat(EG.meta.statuses.map(EG.words)),
      about.coverage.map((one) => [one.editor, one.outputs, counted(one, Scores.GIVEN_BACK, one.given_back), EG.number(one.seconds, 2),
        EG.number(one.cost, 4)].concat(EG.meta.statuses.map((status) => counted(one, status, one.counts[status])))), { class: "coverage" });
  }

  // One figure at a time, chosen by name: some dozens in a column answer no question.
  function figures(about) {
    if (!about.figures.length) return about.no_figures ? h("p", { class: "note" }, about.no_figures) : null;
    const place = h("div", { class: "plots" });
    const pick = h("select", { id: "figure-pick", onchange: draw }, about.figures.map((figure, at) => h("option", { value: at }, figure.title)));
    function draw() {
      const figure = about.figures[Number(pick.value)], file = "figures/" + encodeURIComponent(figure.file);
      EG.fill(place, h("figure", {}, h("img", { src: file, alt: figure.title }), h("figcaption", {}, figure.title)));
    }
    pick.value = Math.max(0, about.figures.findIndex((figure) => figure.title.includes("(" + EG.variant)));
    draw();
    return h("section", { class: "figures", "aria-labelledby": "figures" }, h("h2", { id: "figures" }, "Figures"),
      h("p", { class: "control" }, h("label", { for: "figure-pick" }, EG.plural(about.figures.length, "figure")), pick), place);
  }

  function glossary(about) {
    const names = new Set(Scores.keys(about).filter((key) => !Scores.person(key)).map((key) => Scores.split(key).metric));
    return h("section", { "aria-labelledby": "glossary" }, h("h2", { id: "glossary" }, "What the scores mean"),
      h("dl", { class: "glossary" }, Array.from(names, (name) => [h("dt", {}, Scores.facts(about, name).title),
        h("dd", {}, Scores.meaning(about, name + "|"))])),
      h("p", {}, "faithful: computed as the paper's released code does, its faults included. corrected: the same, with the faults fixed. " +
        "A number in brackets behind a mean is its 95 % interval over samples; n/N are the samples with a score, of those that could have one. " +
        "† is a paper's own line."));
  }

  async function show(main, about) {
    document.title = about.title + ": tables – editgauge report";
    EG.fill(main, h("h1", {}, about.title + ": tables"), shown(about).map((table, number) => node(about, table, number)),
      coverage(about), figures(about), glossary(about));
  }

  return { show, node, lines };
})();
