"use strict";
// Views by address: "#/" tables and figures, "#/browse/<benchmark>", "#/sample/<benchmark>/<id>", "#/study/<benchmark>", "#/run" the manifest.
var App = (function () {
  var h = EG.h;
  var main = document.getElementById("main");

  function cellLink(about, table, row, column) {
    var link = (table.meta && table.meta.links || {})[column.name];
    if (row.kind !== "run" || about.editors.indexOf(row.name) < 0) return null;
    var query = new URLSearchParams({ e: row.name });
    if (link) {
      var wanted = about.columns.find(function (c) {
        return c.editor === row.name && c.metric === link.metric && c.variant === link.variant &&
          (!table.meta.made_by || !c.source || c.source === table.meta.made_by);
      });
      if (wanted) {
        query.set("m", Browse.metricKey(wanted));
        query.set("sort", "score");
        if (wanted.direction === "lower") query.set("desc", "1");
      }
      Object.keys(link.where || {}).forEach(function (name) { query.append("where", name + "=" + link.where[name]); });
    }
    if (table.by && row.group) query.append("where", table.by + "=" + row.group);
    return EG.address(["browse", about.name], query);
  }

  function tableNode(about, table, number) {
    var levels = Math.max.apply(null, table.columns.map(function (c) { return c.heading.length; }).concat([1]));
    var heads = [];
    for (var level = 0; level < levels; level++) {
      var cells = [];
      for (var at = 0; at < table.columns.length;) {
        var column = table.columns[at], text = column.heading[level - (levels - column.heading.length)] || "", span = 1;
        while (level < levels - 1 && at + span < table.columns.length &&
          table.columns[at + span].heading[0] === column.heading[0]) span++;
        var arrow = level === levels - 1 ? { higher: " ↑", lower: " ↓" }[column.direction] || "" : "";
        cells.push(h("th", { scope: span > 1 ? "colgroup" : "col", colspan: span > 1 ? span : null }, text + arrow));
        at += span;
      }
      heads.push(h("tr", {}, level === 0 ? h("th", { scope: "col", rowspan: levels > 1 ? levels : null }, "model") : null, cells));
    }
    var body = table.rows.map(function (row) {
      return h("tr", { class: row.kind + (row.part ? " part" : "") }, h("th", { scope: "row" }, (row.group ? row.group + " · " : "") + row.name + (row.kind === "published" ? " †" : "") + (row.as_released ? " (as released)" : "") + (row.part ? " ‡" : "")),
        table.columns.map(function (column) { return tableCell(about, table, row, column); }));
    });
    var id = "t" + about.name + number;
    return h("section", { class: "table", "aria-labelledby": id },
      h("h3", { id: id }, table.title + (table.variant ? " (" + table.variant + ")" : "") + (table.source ? " · " + table.source : "")),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": id },
        h("table", { "data-table": table.name, "data-variant": table.variant }, h("thead", {}, heads), h("tbody", {}, body))),
      h("ul", { class: "notes" }, (table.notes || []).map(function (note) { return h("li", {}, note); })));
  }

  function tableCell(about, table, row, column) {
    var cell = row.cells[column.name];
    if (!cell) return h("td", {}, "–");
    var text = cell.text !== undefined ? cell.text : (cell.infinite ? "∞" : EG.number(cell.value, column.digits));
    var link = cell.value !== null || cell.infinite || cell.n === 0 ? cellLink(about, table, row, column) : null;
    var inside = cell.place === 1 ? h("strong", {}, text) : (cell.place === 2 ? h("u", {}, text) : text);
    return h("td", { "data-column": column.name, "data-value": cell.value === null ? "" : String(cell.value) },
      link ? h("a", { href: link }, inside) : inside,
      cell.low !== undefined && cell.low !== null ? h("small", { class: "interval" }, " [" + EG.number(cell.low, column.digits) + ", " + EG.number(cell.high, column.digits) + "]") : null,
      cell.n !== undefined ? h("small", { class: "count" }, " " + cell.n + "/" + cell.of) : null);
  }

  function bars(about) {
    var statuses = EG.meta.statuses;
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Coverage of " + about.title },
      h("table", { class: "coverage" }, h("caption", {}, "Coverage and cost"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "editor"), h("th", { scope: "col" }, "outputs"),
          h("th", { scope: "col" }, "given back"),
          h("th", { scope: "col" }, "seconds each"), h("th", { scope: "col" }, "cost, US$"),
          statuses.map(function (s) { return h("th", { scope: "col" }, EG.words(s)); }))),
        h("tbody", {}, about.coverage.map(function (one) {
          var cost = about.cost.find(function (c) { return c.editor === one.editor; }) || {};
          return h("tr", {}, h("th", { scope: "row" }, one.editor), h("td", {}, cost.outputs === undefined ? "–" : cost.outputs),
            h("td", {}, cost.given_back === undefined ? "–" : cost.given_back),
            h("td", {}, EG.number(cost.seconds, 2)), h("td", {}, EG.number(cost.cost, 4)),
            statuses.map(function (s) {
              var n = one.counts[s] || 0;
              return h("td", {}, n ? h("a", { href: EG.address(["browse", about.name], new URLSearchParams({ e: one.editor, status: s })) }, n) : "0");
            }));
        }))));
  }

  function overview() {
    document.title = "editgauge report";
    EG.fill(main, h("h1", {}, "Report of " + EG.meta.runs.join(", ")),
      EG.meta.problems.length ? h("div", { class: "notice" }, h("p", {}, "Found while reading the run:"),
        h("ul", {}, EG.meta.problems.map(function (p) { return h("li", {}, p); }))) : null,
      EG.meta.benchmarks.map(function (about) {
        return h("section", { "aria-labelledby": "b-" + about.name },
          h("h2", { id: "b-" + about.name }, about.title),
          h("p", {}, about.samples + " samples, " + about.editors.length + " editors. ",
            h("a", { href: EG.address(["browse", about.name]) }, "Browse the samples of " + about.name)),
          about.study ? h("p", {}, h("a", { href: EG.address(["study", about.name]) }, "What people said of " + about.name)) : null,
          about.tables.map(function (table, number) {
            return about.study && about.study.tables.indexOf(table.name) >= 0 ? null : tableNode(about, table, number);
          }),
          bars(about),
          about.figures.length ? h("details", { class: "figures", open: true },
            h("summary", {}, about.figures.length + " figures"),
            h("div", { class: "plots" }, about.figures.map(function (figure) {
              return h("figure", {}, h("img", { src: "figures/" + encodeURIComponent(figure.file), alt: figure.text, loading: "lazy" }),
                h("figcaption", {}, figure.title));
            }))) : null);
      }),
      h("p", {}, h("a", { href: "#/run" }, "What made this report")));
  }

  function manifest() {
    EG.fill(main, h("h1", {}, "What made this"), h("p", {}, "editgauge " + EG.meta.version),
      EG.meta.manifest.map(function (entry) {
        return h("details", {}, h("summary", {}, entry.at + " · " + entry.command + (entry.benchmark ? " " + entry.benchmark : "")),
          h("pre", {}, JSON.stringify(entry, null, 1)));
      }));
  }

  function failed(error) {
    EG.fill(main, h("h1", {}, "This view cannot be shown"), h("p", { class: "notice" }, error.message),
      h("p", {}, h("a", { href: "#/" }, "All tables")));
  }

  // A view is drawn when its data are there; by then another may have been asked for, and only the newest is drawn.
  var turn = 0;

  function route() {
    var mine = ++turn;
    function live() { return mine === turn; }
    SampleView.stop();
    var where = EG.parse(location.hash), view = where.path[0] || "";
    document.querySelectorAll("#views a").forEach(function (a) {
      var own = EG.parse(a.getAttribute("href")).path;
      var here = own[0] === view || (own[0] === "browse" && view === "sample");
      if (here && (own[1] || "") === (view === "browse" || view === "sample" || view === "study" ? where.path[1] : "")) a.setAttribute("aria-current", "page");
      else a.removeAttribute("aria-current");
    });
    if (view === "browse" || view === "sample" || view === "study") {
      var found = EG.find(where.path[1]);
      if (!found) return failed(new Error("There is no benchmark " + where.path[1] + " in this report."));
      document.title = found.about.title + " – editgauge report";
      var shown = view === "study" ? StudyView.show(main, found.at, found.about, live, tableNode)
        : view === "browse" ? Browse.show(main, found.at, found.about, where.query, live)
        : SampleView.show(main, found.at, found.about, where.path.slice(2).join("/"), where.query, live);
      return shown.catch(function (error) { if (live()) failed(error); });
    }
    if (view === "run") return manifest();
    return overview();
  }

  function follow(id) {
    var node = document.getElementById(id);
    if (node) node.click();
    return Boolean(node);
  }

  var KEYS = { j: "next", n: "next", ArrowRight: "next", k: "previous", p: "previous", ArrowLeft: "previous", u: "back", x: "swap" };
  SampleView.modes.forEach(function (mode, number) { KEYS[String(number + 1)] = "mode-" + mode[0]; });

  addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var at = event.target.tagName;
    if (at === "SELECT" || at === "TEXTAREA" || (at === "INPUT" && event.target.type !== "range")) return;
    if (at === "INPUT" && event.key.slice(0, 5) === "Arrow") return;
    if (event.key === "?") return help();
    if (KEYS[event.key] && follow(KEYS[event.key])) event.preventDefault();
  });

  function help() {
    var lines = [["j, n, →", "next sample"], ["k, p, ←", "previous sample"], ["u", "back to the list"],
      ["1 – 5", "side by side, slider, flicker, difference, mask"], ["x", "swap the two pictures (flicker)"], ["?", "this help"]];
    var dialog = h("dialog", { "aria-labelledby": "help" }, h("h2", { id: "help" }, "Keys"),
      h("dl", { class: "facts" }, lines.map(function (l) { return [h("dt", {}, l[0]), h("dd", {}, l[1])]; })),
      h("form", { method: "dialog" }, h("button", {}, "Close")));
    dialog.addEventListener("close", function () { dialog.remove(); });
    document.body.append(dialog);
    dialog.showModal();
  }

  EG.load("meta", "data/meta.js").then(function (meta) {
    EG.meta = meta;
    var views = document.getElementById("views");
    [["#/", "Tables"]].concat(meta.benchmarks.map(function (b) {
      return [EG.address(["browse", b.name]), "Samples of " + b.name];
    }), meta.benchmarks.filter(function (b) { return b.study; }).map(function (b) {
      return [EG.address(["study", b.name]), "People on " + b.name];
    }), meta.diagnosis ? [["diagnosis.html", "Why edits failed"]] : [], [["#/run", "Run"]]).forEach(function (v) { views.append(h("li", {}, h("a", { href: v[0] }, v[1]))); });
    views.append(h("li", {}, h("button", { type: "button", onclick: help }, "Keys")));
    addEventListener("hashchange", function () {
      var before = EG.parse(location.hash).path[0];
      Promise.resolve(route()).then(function () { if (before !== "browse") window.scrollTo(0, 0); });
    });
    document.documentElement.dataset.ready = "yes";
    return route();
  }).catch(failed);

  return { route: route };
})();
