"use strict";
// The first page: what was run, on how much, who is ahead and whether that is certain, what went wrong, where to look first.
var Start = (function () {
  var h = EG.h;
  var WIDE = 300; // of a ranking's scale, in pixels

  function plural(n, word) { return n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s"); }

  function extent(about) {
    var all = about.overview.release, words = plural(about.samples, "sample");
    var judges = about.overview.sources.map(function (source) { return Scores.short(about, source); });
    return [h("strong", {}, words), all && all !== about.samples ? " of the " + all.toLocaleString("en") + " that the paper's tables are of" : "",
      " · ", plural(about.editors.length - about.anchors.length, "model"),
      about.anchors.length ? " and, to compare with, " + about.anchors.join(", ") : "", judges.length ? " · scored by " + judges.join(", ") : "",
      all && about.samples < all ? h("span", { class: "warn" }, " A part of the benchmark: not comparable with the paper's numbers.") : ""];
  }

  // A bar of an interval on the common scale, beside the number.
  function strip(line, low, high) {
    if (line.low === null || line.high === null || !(high > low)) return null;
    function at(value) { return (value - low) / (high - low) * WIDE; }
    var ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", "0 0 " + WIDE + " 14");
    svg.setAttribute("class", "strip");
    svg.setAttribute("aria-hidden", "true");
    [["line", { x1: at(line.low), x2: at(line.high), y1: 7, y2: 7 }], ["circle", { cx: at(line.value), cy: 7, r: 4 }]].forEach(function (one) {
      var node = document.createElementNS(ns, one[0]);
      Object.keys(one[1]).forEach(function (name) { node.setAttribute(name, String(one[1][name])); });
      svg.append(node);
    });
    return svg;
  }

  // Anchors are there to be compared with: one that stands first has beaten nobody.
  function models(about, lead) { return lead.lines.filter(function (line) { return !Scores.anchor(about, line.editor); }); }

  function verdict(about, lead) {
    var first = lead.lines[0], second = lead.lines[1], real = models(about, lead);
    if (real.length === 1) return [h("strong", {}, real[0].editor), " beside anchors, which are no models. There is nobody to rank it with."];
    if (!real.length) return "Anchors alone: there is no model to rank.";
    if (lead.certain) return [h("strong", {}, first.editor), " is ahead, and stays ahead in at least 95 % of the resamples."];
    var reach = lead.lines.filter(function (line) { return line.rank_low === 1; }).map(function (line) { return line.editor; });
    if (reach.length < 2) reach = [first.editor, second.editor];
    return [h("strong", {}, first.editor), " has the best number, but that is not certain: ",
      h("strong", {}, reach.join(", ")), " could each be first. More samples would tell."];
  }

  function ranking(about) {
    var lead = Scores.lead(about);
    if (!lead) {
      return h("p", {}, about.editors.length < 2 ? "One model: there is nobody to rank it with. "
        : "No ranking: no two models have a number of one table on the same two samples, or the tables were made without intervals. ",
      h("a", { href: EG.address(["tables", about.name]) }, "The tables"), " have every number.");
    }
    var ends = [];
    lead.lines.forEach(function (line) { [line.low, line.high, line.value].forEach(function (v) { if (typeof v === "number") ends.push(v); }); });
    var low = Math.min.apply(null, ends), high = Math.max.apply(null, ends), room = (high - low) * 0.04 || 1;
    var fewer = Object.keys(lead.left_out).map(function (editor) { return editor + " (" + lead.left_out[editor] + ")"; });
    return h("div", { class: "ranking" }, h("p", { class: "verdict-line" }, verdict(about, lead)),
      lead.ahead && models(about, lead).length > 1 ? h("p", {}, lead.lines[0].editor + " is ahead of " + lead.lines[1].editor + " by " + EG.number(lead.ahead.value, lead.digits) + " " +
        EG.interval(lead.ahead, lead.digits) + " (95 % interval of the difference on the same samples).") : null,
      lead.others.length ? h("p", {}, lead.others.map(function (other) {
        return "By " + Scores.short(about, other.source) + ", " + (other.editor === lead.lines[0].editor ? "the same" : other.editor) + " is first" +
          (other.certain ? "" : ", not certainly") + ". ";
      })) : null,
      lead.n < lead.of ? h("p", {}, "Ranked on the " + lead.n + " of " + plural(lead.of, "sample") + " that all of these models have a score of: " +
        "the numbers differ from the tables', which take what each model has.") : null,
      lead.returned.length ? h("p", {}, "Not ranked, as every picture came back unchanged: " + lead.returned.join(", ") + ".") : null,
      fewer.length ? h("p", {}, "Not ranked, with too few scores or none in a part of this number: " + fewer.join(", ") + ".") : null,
      lead.link && Scores.facts(about, lead.link.metric + "|").keeps ? h("p", { class: "warn" },
        "This score tells what was kept, not what was done: a model that changes nothing wins it.") : null,
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ranking of " + about.title },
        h("table", {}, h("caption", {}, "by " + lead.heading.join(" ") + ({ higher: " ↑", lower: " ↓" }[lead.direction] || "") +
          (lead.source ? " · " + Scores.short(about, lead.source) : "") + (lead.variant ? " (" + lead.variant + ")" : "") + "; brackets: 95 % interval"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "model"), h("th", { scope: "col" }, "score"), h("th", { scope: "col" }, "rank"),
          h("th", { scope: "col" }, "could be"), h("th", { scope: "col" }, "n"), h("td", { class: "strips" }))),
        h("tbody", {}, lead.lines.map(function (line) {
          return h("tr", {}, h("th", { scope: "row" }, line.editor),
            h("td", {}, EG.number(line.value, lead.digits), line.low === null ? null :
              h("small", { class: "interval" }, " " + EG.interval(line, lead.digits))),
            h("td", {}, line.rank),
            h("td", {}, line.rank_low === line.rank_high ? line.rank_low : line.rank_low + "–" + line.rank_high),
            h("td", {}, line.n + "/" + line.of), h("td", { class: "strips" }, strip(line, low - room, high + room)));
        })))));
  }

  // A score that no model has (weights that are not there) is no model's fault: one line for all of them.
  function together(about, index, list) {
    var has = new Set(), all = new Map();
    about.columns.forEach(function (column) { if (column.scored) has.add(column.metric); });
    var rest = list.filter(function (one) {
      if (!one.metrics.length || one.metrics.some(function (metric) { return has.has(metric); })) return true;
      all.set(one.status, new Set(Array.from(all.get(one.status) || []).concat(one.metrics)));
      return false;
    });
    all.forEach(function (metrics, status) {
      var tests = about.editors.map(function (_, editor) { return Scores.having(index, editor, status); }), n = 0;
      for (var i = 0; i < about.samples; i++) if (tests.some(function (test) { return test(i); })) n++;
      rest.push({ editor: "", status: status, n: n, metrics: Array.from(metrics) });
    });
    return rest;
  }

  // What happened to as many samples of every model (outputs of a part were made) is one line.
  function alike(about, list) {
    var of = new Map(), models = about.editors.length - about.anchors.length;
    list.forEach(function (one) {
      var key = one.editor && !Scores.anchor(about, one.editor) ? one.status + one.n + one.metrics.join() : one.editor + one.status;
      of.set(key, (of.get(key) || []).concat([one]));
    });
    return Array.from(of.values()).flatMap(function (same) {
      return models > 1 && same.length === models ? [Object.assign({}, same[0], { editor: "", every: true })] : same;
    });
  }

  // The commonest failures, as samples: each opens exactly those.
  function wrong(about, index) {
    var list = [];
    about.coverage.forEach(function (one) {
      Object.keys(one.counts).forEach(function (status) {
        if (["scored", "not_applicable"].indexOf(status) < 0) list.push({ editor: one.editor, status: status, n: one.counts[status], metrics: one.metrics[status] || [] });
      });
    });
    about.cost.forEach(function (one) { // an anchor that changes nothing does what it is for
      if (one.given_back && !Scores.anchor(about, one.editor)) list.push({ editor: one.editor, status: Scores.GIVEN_BACK, n: one.given_back, metrics: [] });
    });
    list = alike(about, together(about, index, list));
    list.sort(function (a, b) { return b.n - a.n; });
    if (!list.length) return h("p", {}, "Every output was there and got its scores.");
    return h("ul", {}, list.slice(0, 5).map(function (one) {
      return h("li", {}, (one.every ? "every model" : one.editor || "no model has " + one.metrics.map(function (name) { return Scores.facts(about, name + "|").title; }).join(", ")) + ": ", h("a", { "data-status": one.status,
        href: EG.address(["browse", about.name], new URLSearchParams(one.editor ? { e: one.editor, status: one.status } : { status: one.status })) },
      plural(one.n, "sample") + " " + EG.words(one.status)), one.editor && one.metrics.length ? h("small", {}, " (" + one.metrics.slice(0, 3).map(function (name) {
        return Scores.facts(about, name + "|").title;
      }).join(", ") + (one.metrics.length > 3 ? "…" : "") + ")") : null);
    }), list.length > 5 ? h("li", {}, h("a", { href: EG.address(["tables", about.name]) }, list.length - 5 + " more")) : null);
  }

  // The means of the ranked models by the benchmark's first attribute: a strip under the ranking.
  function groups(about) {
    var found = about.overview.groups, lead = Scores.lead(about);
    if (!found || !lead) return null;
    return h("details", { class: "groups" }, h("summary", {}, Scores.name(about, found.metric + "|" + lead.source) + " by " + found.by),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Means by " + found.by + " of " + about.title },
        h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "model"), found.labels.map(function (label, n) {
          return h("th", { scope: "col" }, label + " (" + found.counts[n] + ")");
        }))), h("tbody", {}, found.lines.map(function (line) {
          return h("tr", {}, h("th", { scope: "row" }, line.editor), line.means.map(function (mean) { return h("td", {}, EG.number(mean, lead.digits)); }));
        })))));
  }

  // `reference`: the right answer stands beside, where there is one.
  function card(at, about, index, position, editors, words, reference) {
    var id = index.ids[position], query = new URLSearchParams({ e: about.editors[editors[editors.length - 1]] });
    editors.slice(0, -1).forEach(function (editor) { query.set("left", "edit:" + about.editors[editor]); });
    return h("li", {}, h("a", { class: "card", title: id, href: EG.address(["sample", about.name, id], query) },
      h("span", { class: "pair" }, [["input", "input"]].concat(editors.map(function (editor, n) { return [editor, words[n]]; })).concat(
        reference && Scores.thumb(at, index, "reference", position, "reference") ? [["reference", "reference"]] : []).map(function (slot) {
        return Scores.captioned(at, index, slot[0], position, slot[1]);
      })), h("span", { class: "card-ask", dir: "auto" }, about.overview.asked[position] || id)));
  }

  // A model with its number; JSON has no infinity: what is none is not printed.
  function named(about, by, editor, value) {
    var number = typeof value === "number" ? " " + Scores.text(about, by.metric + "|" + by.source, value) : "";
    return about.editors[editor] + number;
  }

  function first(at, about, index) {
    var seen = about.overview, by = seen.by;
    if (!by) return null;
    var title = Scores.name(about, by.metric + "|" + by.source), kind = EG.meta.variants.length > 1 ? " (" + by.variant + ")" : "";
    return h("div", { class: "firsts" }, seen.edits ? null
      : h("p", { class: "warn" }, "The run has no edit with this score, only anchors and inputs that were given back: those are shown."),
      seen.best && seen.best.samples.length ? h("section", {}, h("h3", {}, "Edits of " + about.editors[seen.best.editor] + ", from its best score to its worst"),
        h("ul", { class: "cards" }, seen.best.samples.map(function (sample, n) {
          return card(at, about, index, sample, [seen.best.editor], [named(about, by, seen.best.editor, seen.best.values[n])], true);
        }))) : null,
      seen.worst.length ? h("section", {}, h("h3", {}, "Worst samples by " + title + kind), h("ul", { class: "cards" }, seen.worst.map(function (one, n) {
        return card(at, about, index, one[0], [one[1]], [named(about, by, one[1], seen.worst_values[n][0])]);
      }))) : null,
      seen.contested.length ? h("section", {}, h("h3", {}, "Where models differ most"), h("ul", { class: "cards" }, seen.contested.map(function (one, n) {
        var values = seen.contested_values[n];
        return card(at, about, index, one[0], [one[1], one[2]],
          [named(about, by, one[1], values[0]), named(about, by, one[2], values[1])]);
      }))) : null);
  }

  function benchmark(at, about, index) {
    return h("section", { class: "bench", "aria-labelledby": "b-" + about.name },
      h("h2", { id: "b-" + about.name }, about.title, about.about ? h("small", { class: "about-it" }, about.about) : null), h("p", {}, extent(about)),
      h("div", { class: "columns" }, ranking(about), h("div", { class: "wrong" }, h("h3", {}, "What went wrong"), wrong(about, index))),
      groups(about),
      first(at, about, index),
      h("p", { class: "ways" }, h("a", { class: "way", href: EG.address(["browse", about.name]) }, "All samples"),
        h("a", { class: "way", href: EG.address(["tables", about.name]) }, "Tables and figures"),
        h("a", { class: "way", href: EG.address(["reviewers", about.name]) }, "For reviewers: what each model damaged"),
        about.study ? h("a", { class: "way", href: EG.address(["study", about.name]) }, "What people said") : null));
  }

  function show(main, live) {
    return Promise.all(EG.meta.benchmarks.map(function (_, at) { return EG.index(at); })).then(function (indexes) {
      if (!live()) return;
      var headed = EG.meta.headed, by = [headed.author, headed.date].filter(Boolean).join(" · ");
      document.title = headed.title || "editgauge report";
      EG.fill(main, h("h1", {}, headed.title || "Report of " + EG.meta.runs.join(", ")), by ? h("p", {}, by) : null,
        EG.meta.problems.length ? h("div", { class: "notice" }, h("p", {}, "Found while reading the run:"),
          h("ul", {}, EG.meta.problems.map(function (p) { return h("li", {}, p); }))) : null,
        EG.meta.benchmarks.map(function (about, at) { return benchmark(at, about, indexes[at]); }));
    });
  }

  return { show: show };
})();
