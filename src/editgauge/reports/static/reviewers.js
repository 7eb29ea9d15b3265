"use strict";
// For readers who know no metric: what was damaged where nothing should change, by model and by category, the worst cases first.
var Reviewers = (function () {
  var h = EG.h;

  function pictures(n) { return n.toLocaleString("en") + (n === 1 ? " picture" : " pictures"); }
  var CASES = 3, MOST_GROUPS = 60;

  // The measure of damage: the first of those that tell what was kept that has values.
  function measure(about) {
    var keys = Scores.keys(about).filter(function (key) { return !Scores.person(key) && Scores.facts(about, key).direction; });
    var name = about.overview.kept.find(function (metric) {
      return keys.some(function (key) { return Scores.split(key).metric === metric; });
    });
    return keys.find(function (key) { return Scores.split(key).metric === name; }) || null;
  }

  function groups(about) {
    return about.attributes.filter(function (one) {
      return !one.numeric && one.values.length > 1 && one.values.length <= MOST_GROUPS && one.name !== "split";
    });
  }

  function load(at, about, key) {
    return Promise.all(about.editors.map(function (editor) {
      var which = Scores.column(about, editor, key);
      return which < 0 ? null : EG.column(at, which);
    }));
  }

  // {n, mean, worst: positions, worst first} of the samples that pass `here`.
  function summed(column, direction, here) {
    var sum = 0, found = [];
    for (var i = 0; column && i < column.values.length; i++) {
      var v = column.values[i];
      if (v === v && here(i)) { found.push(i); if (Number.isFinite(v)) sum += v; }
    }
    var finite = found.filter(function (i) { return Number.isFinite(column.values[i]); }).length;
    found.sort(function (a, b) { return (column.values[a] - column.values[b]) * (direction === "lower" ? -1 : 1); });
    return { n: found.length, mean: finite ? sum / finite : null, worst: found };
  }

  function cases(made, key, column, editor, worst) {
    var at = made.at, about = made.about, index = made.index;
    return h("ul", { class: "cards cases" }, worst.slice(0, CASES).map(function (position) {
      var id = index.ids[position], name = about.editors[editor];
      return h("li", {}, h("a", { class: "card", href: EG.address(["sample", about.name, id], new URLSearchParams({ e: name, left: "input", view: "side" })) },
        h("span", { class: "pair" }, Scores.captioned(at, index, "input", position, "before"), Scores.captioned(at, index, editor, position, "after")),
        h("span", { class: "card-ask", dir: "auto" }, made.text[position]),
        h("small", {}, Scores.text(about, key, column.values[position]), " · ", id)));
    }));
  }

  function without(about, index, editor) {
    var lost = 0;
    for (var i = 0; i < about.samples; i++) if (Scores.fate(index, editor, i)) lost++;
    return lost;
  }

  function show(main, at, about, query, live) {
    var key = measure(about);
    document.title = about.title + ": for reviewers – editgauge report";
    if (!key) {
      EG.fill(main, h("h1", {}, about.title + ": for reviewers"), others(about), h("p", { class: "notice" },
        "Nothing in this run measures what was kept outside the wanted change. The samples themselves: ",
        h("a", { href: EG.address(["browse", about.name]) }, "all pictures"), "."));
      return Promise.resolve();
    }
    return Promise.all([EG.index(at), load(at, about, key), EG.text(at)]).then(function (got) {
      if (live()) draw(main, { at: at, about: about, index: got[0], text: got[2] }, query, key, got[1]);
    });
  }

  function draw(main, made, query, key, columns) {
    var about = made.about, index = made.index;
    var direction = Scores.facts(about, key).direction, by = groups(about);
    var chosen = by.find(function (one) { return one.name === query.get("by"); }) || by.find(function (one) { return one.name === "organ"; }) ||
      by.find(function (one) { return one.values.length <= 20; }) || by[0];
    var list = about.editors.map(function (editor, number) {
      return { editor: editor, number: number, all: summed(columns[number], direction, function () { return true; }) };
    }).filter(function (one) { return one.all.n; });
    var anchors = list.filter(function (one) { return Scores.anchor(about, one.editor); });
    if (anchors.length < list.length) list = list.filter(function (one) { return !Scores.anchor(about, one.editor); });
    else anchors = [];
    var sign = direction === "lower" ? -1 : 1;
    list.sort(function (a, b) { return ((a.all.mean === null ? Infinity : a.all.mean) - (b.all.mean === null ? Infinity : b.all.mean)) * sign; });
    var plain = Scores.facts(about, key).plain || "how much of what should not change was kept";
    var pick = chosen ? h("select", { id: "by", onchange: function () {
      location.hash = EG.address(["reviewers", about.name], new URLSearchParams({ by: pick.value }));
    } }, by.map(function (one) { return h("option", { value: one.name, selected: one === chosen }, one.name); })) : null;
    EG.fill(main, h("h1", {}, about.title + ": for reviewers"), others(about),
      h("p", { class: "lead" }, "Each model was asked to change one thing in a picture. This page shows what it changed beside that: the model that damaged most comes first, and of each its worst pictures, before and after. A click shows them large."),
      h("p", {}, "The number below a picture says " + plain + ". ",
        direction === "higher" ? "A low number is damage." : "A high number is damage.", " It is called ", Scores.tip(about, key), " in the tables."),
      pick ? h("p", { class: "control" }, h("label", { for: "by" }, "Group by"), pick) : null,
      list.map(function (one, rank) {
        var column = columns[one.number], lost = without(about, index, one.number);
        var back = Scores.returned(index, one.number);
        var edited = summed(column, direction, function (i) { return !back[i]; });
        return h("section", { class: "model", "data-editor": one.editor, "aria-labelledby": "m-" + one.number },
          h("h2", { id: "m-" + one.number }, (rank + 1) + ". " + one.editor),
          h("p", {}, "On average ", h("strong", {}, Scores.text(about, key, one.all.mean)), " over " + pictures(one.all.n),
            edited.n < one.all.n ? "; " + (edited.n ? one.all.n - edited.n + " of them came back unchanged, and over the others it is " +
              Scores.text(about, key, edited.mean) : "all of them came back unchanged") : "",
            lost ? "; " + lost + " of " + about.samples + " samples have no picture" : "", "."),
          cases(made, key, column, one.number, one.all.worst),
          chosen ? divided(made, key, column, one, chosen, direction) : null);
      }),
      anchors.length ? h("p", {}, "To compare, no models: " + anchors.map(function (one) {
        return one.editor + " " + Scores.text(about, key, one.all.mean);
      }).join(", ") + ".") : null);
  }

  // The other data sets of the report, in words: a reader does not know them by their names.
  function others(about) {
    if (EG.meta.benchmarks.length < 2) return null;
    return h("details", { class: "others", open: window.innerWidth >= 640 }, h("summary", {}, "What the pictures are"),
      h("ul", {}, EG.meta.benchmarks.map(function (one) {
        var name = one === about ? h("strong", {}, one.title) : h("a", { href: EG.address(["reviewers", one.name]) }, one.title);
        return h("li", {}, name, one.about ? ": " + one.about : "");
      })));
  }

  function divided(made, key, column, one, chosen, direction) {
    var about = made.about, codes = Select.codesOf(made.index, about, chosen.name).codes, sign = direction === "lower" ? -1 : 1;
    var rows = chosen.values.map(function (value, code) {
      return { value: value, found: summed(column, direction, function (i) { return codes[i] === code; }) };
    }).filter(function (row) { return row.value && row.found.n; });
    rows.sort(function (a, b) { return (a.found.mean - b.found.mean) * sign; });
    var several = rows.find(function (row) { return row.found.n > 1; }); // one picture tells nothing of its group
    return h("details", {}, h("summary", {}, "By " + chosen.name + (several ? ": worst is " + several.value : "")),
      rows.map(function (row) {
        var query = new URLSearchParams({ e: one.editor, m: key, sort: "score", where: chosen.name + "=" + row.value });
        if (direction === "lower") query.set("desc", "1");
        return h("div", { class: "group" }, h("h3", {}, row.value + ": " + Scores.text(about, key, row.found.mean) + " over " + pictures(row.found.n) + " "),
          cases(made, key, column, one.number, row.found.worst),
          h("p", {}, h("a", { href: EG.address(["browse", about.name], query) }, "all of these, the worst first")));
      }));
  }

  return { show: show };
})();
