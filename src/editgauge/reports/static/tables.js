"use strict";
// The papers' tables, the figures, coverage and cost, and what every score means.
var Tables = (function () {
  var h = EG.h;
  var PRINTED = 7; // columns beside each other on paper; more go on below

  // What a number opens: the samples behind it, by the score that it shows, the worst first.
  function cellLink(about, table, row, column) {
    var link = (table.meta && table.meta.links || {})[column.name];
    if (row.kind !== "run" || about.editors.indexOf(row.name) < 0) return null;
    var query = new URLSearchParams({ e: row.name });
    if (link) {
      var key = Scores.keys(about).find(function (one) {
        var name = Scores.split(one);
        return name.metric === link.metric && !Scores.person(one) && (!table.meta.made_by || !name.source || name.source === table.meta.made_by);
      });
      if (key) {
        query.set("m", key);
        query.set("sort", "score");
        if (Scores.facts(about, key).direction === "lower") query.set("desc", "1");
      }
      Object.keys(link.where || {}).forEach(function (name) { query.append("where", name + "=" + link.where[name]); });
    }
    if (table.by && row.group) query.append("where", table.by + "=" + row.group);
    return EG.address(["browse", about.name], query);
  }

  function heads(columns) {
    var levels = Math.max.apply(null, columns.map(function (c) { return c.heading.length; }).concat([1])), rows = [];
    for (var level = 0; level < levels; level++) {
      var cells = [];
      for (var at = 0; at < columns.length;) {
        var column = columns[at], text = column.heading[level - (levels - column.heading.length)] || "", span = 1;
        while (level < levels - 1 && at + span < columns.length && columns[at + span].heading[0] === column.heading[0]) span++;
        var arrow = level === levels - 1 ? { higher: " ↑", lower: " ↓" }[column.direction] || "" : "";
        cells.push(h("th", { scope: span > 1 ? "colgroup" : "col", colspan: span > 1 ? span : null, title: column.note || null }, text + arrow));
        at += span;
      }
      rows.push(h("tr", {}, level === 0 ? h("th", { scope: "col", rowspan: levels > 1 ? levels : null }, "model") : null, cells));
    }
    return rows;
  }

  // The paper's heading over the lines that follow, where its table has groups of models.
  function section(table, at, width) {
    var row = table.rows[at], before = at ? table.rows[at - 1] : { section: "" };
    if ((row.section || "") === (before.section || "") && (!at || own(row) === own(before))) return null;
    if (!table.rows.some(function (one) { return one.section; })) return null;
    return h("tr", { class: "section" }, h("th", { scope: "rowgroup", colspan: width }, row.section || "Further models"));
  }

  function own(row) { return row.kind !== "published" && row.kind !== "mean"; }

  function drawn(about, table, columns, extra) {
    var body = table.rows.map(function (row, at) {
      return [section(table, at, columns.length + 1), h("tr", { class: row.kind + (row.part ? " part" : "") }, h("th", { scope: "row" }, (row.group ? row.group + " · " : "") + row.name +
        (own(row) ? "" : " †") + (row.as_released ? " (as released)" : "") + (row.part ? " ‡" : "")),
      columns.map(function (column) { return cell(about, table, row, column); }))];
    });
    return h("table", Object.assign({ "data-table": table.name, "data-variant": table.variant }, extra || {}),
      h("thead", {}, heads(columns)), h("tbody", {}, body));
  }

  function cell(about, table, row, column) {
    var one = row.cells[column.name];
    if (!one) return h("td", {}, "–");
    var text = one.text !== undefined ? one.text : (one.infinite ? "∞" : EG.number(one.value, column.digits));
    var link = one.value !== null || one.infinite || one.n === 0 ? cellLink(about, table, row, column) : null;
    var inside = one.place === 1 ? h("strong", {}, text) : (one.place === 2 ? h("u", {}, text) : text);
    return h("td", { "data-column": column.name, "data-value": one.value === null ? "" : String(one.value) },
      link ? h("a", { href: link }, inside) : inside,
      one.low !== undefined && one.low !== null ? h("small", { class: "interval" }, " " + EG.interval(one, column.digits)) : null,
      one.n !== undefined ? h("small", { class: "count" }, " " + one.n + "/" + one.of) : null);
  }

  function node(about, table, number) {
    var id = "t" + about.name + number, parts = [];
    for (var start = 0; table.columns.length > PRINTED && start < table.columns.length; start += PRINTED) {
      parts.push(table.columns.slice(start, start + PRINTED));
    }
    return h("section", { class: "table", "aria-labelledby": id },
      h("h2", { id: id }, table.title + (table.variant ? " (" + table.variant + ")" : "") + (table.source ? " · " + Scores.short(about, table.source) : "")),
      h("div", { class: "scroll" + (parts.length ? " screen-only" : ""), tabindex: "0", role: "region", "aria-label": "Numbers of " + table.title + (table.source ? ", " + table.source : "") },
        drawn(about, table, table.columns)),
      parts.length ? h("div", { class: "print-only" }, parts.map(function (columns) {
        return drawn(about, table, columns, { "data-table": null, "data-part": table.name });
      })) : null,
      h("ul", { class: "notes" }, (table.notes || []).map(function (note) { return h("li", {}, note); })));
  }

  // The tables of the report's variant; one that has no twin of that variant is shown as it is.
  function shown(about) {
    return about.tables.filter(function (table) {
      if (about.study && about.study.tables.indexOf(table.name) >= 0) return false;
      if (!table.variant || table.variant === EG.variant) return true;
      return !about.tables.some(function (other) { return other.name === table.name && other.source === table.source && other.variant === EG.variant; });
    });
  }

  function coverage(about) {
    var statuses = EG.meta.statuses;
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Coverage of " + about.title },
      h("table", { class: "coverage" }, h("caption", {}, "Coverage and cost: samples by status, all scores together"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "editor"), h("th", { scope: "col" }, "outputs"),
          h("th", { scope: "col" }, "given back"),
          h("th", { scope: "col" }, "seconds each"), h("th", { scope: "col" }, "cost, US$"),
          statuses.map(function (s) { return h("th", { scope: "col" }, EG.words(s)); }))),
        h("tbody", {}, about.coverage.map(function (one) {
          var cost = about.cost.find(function (c) { return c.editor === one.editor; }) || {};
          return h("tr", {}, h("th", { scope: "row" }, one.editor), h("td", {}, cost.outputs === undefined ? "–" : cost.outputs),
            h("td", {}, !cost.given_back ? (cost.given_back === undefined ? "–" : "0") : h("a", { "data-status": Scores.GIVEN_BACK,
              href: EG.address(["browse", about.name], new URLSearchParams({ e: one.editor, status: Scores.GIVEN_BACK })) }, cost.given_back)),
            h("td", {}, EG.number(cost.seconds, 2)), h("td", {}, EG.number(cost.cost, 4)),
            statuses.map(function (s) {
              var n = one.counts[s] || 0;
              return h("td", {}, n ? h("a", { "data-status": s,
                href: EG.address(["browse", about.name], new URLSearchParams({ e: one.editor, status: s })) }, n) : "0");
            }));
        }))));
  }

  // One figure at a time, chosen by name: some dozens in a column answer no question.
  function figures(about) {
    if (!about.figures.length) return about.no_figures ? h("p", { class: "note" }, about.no_figures) : null;
    var place = h("div", { class: "plots" });
    var pick = h("select", { id: "figure-" + about.name, onchange: draw }, about.figures.map(function (figure, at) {
      return h("option", { value: at }, figure.title);
    }));
    function draw() {
      var figure = about.figures[Number(pick.value)], file = "figures/" + encodeURIComponent(figure.file);
      EG.fill(place, h("figure", {}, h("img", { src: file, alt: figure.text }),
        h("figcaption", {}, figure.title, " · ", h("a", { href: file.replace(/\.svg$/, ".csv"), download: "" }, "numbers (csv)"))));
    }
    var like = about.figures.findIndex(function (figure) { return figure.title.indexOf("(" + EG.variant) >= 0; });
    pick.value = String(Math.max(0, like));
    draw();
    return h("section", { class: "figures", "aria-labelledby": "f-" + about.name }, h("h2", { id: "f-" + about.name }, "Figures"),
      h("p", { class: "control" }, h("label", { for: "figure-" + about.name }, about.figures.length + " figures"), pick), place);
  }

  function glossary(about) {
    var seen = new Set();
    return h("section", { "aria-labelledby": "g-" + about.name }, h("h2", { id: "g-" + about.name }, "What the scores mean"),
      h("dl", { class: "glossary" }, Scores.keys(about).filter(function (key) {
        var metric = Scores.split(key).metric, first = !seen.has(metric);
        seen.add(metric);
        return first && !Scores.person(key);
      }).map(function (key) {
        return [h("dt", {}, Scores.facts(about, key).title), h("dd", {}, Scores.meaning(about, Scores.split(key).metric + "|"))];
      })),
      h("p", {}, "faithful: computed as the paper's released code does, its faults included. corrected: the same, with the faults fixed. " +
        "A number in brackets behind a mean is its 95 % interval under resampling of the samples; n/N are the samples with a score, of those that could have one. " +
        "† is a paper's own line."));
  }

  function show(main, about) {
    document.title = about.title + ": tables – editgauge report";
    EG.fill(main, h("h1", {}, about.title + ": tables"),
      shown(about).map(function (table, number) { return node(about, table, number); }),
      coverage(about), figures(about), glossary(about));
    return Promise.resolve();
  }

  return { show: show, node: node, shown: shown };
})();
