"use strict";
// The first page: what was run, on how much, who is ahead and whether that is certain, what went wrong, where to look first.
const Start = (function () {
  const h = EG.h, WIDE = 300; // of a ranking's scale, in pixels

  function extent(about) {
    const all = about.overview.release, people = about.overview.people;
    const judges = about.overview.sources.map((source) => Scores.short(about, source));
    if (people) judges.push(EG.plural(people.annotators, "annotator") + " (" + EG.plural(people.outputs, "output") + ")");
    return h("p", {}, h("strong", {}, EG.plural(about.used, "sample")),
      all && all !== about.used ? " of the " + all.toLocaleString("en") + " that the paper's tables are of" : "",
      " · ", EG.plural(about.editors.length - about.anchors.length, "model"),
      about.anchors.length ? " and, to compare with, " + about.anchors.join(", ") : "", judges.length ? " · scored by " + judges.join(", ") : "",
      all && about.used < all ? h("span", { class: "warn" }, " A part of the benchmark: not comparable with the paper's numbers.") : "");
  }

  // What people said, in one sentence; their means stand with the tables.
  function people(about) {
    const said = about.overview.people;
    return said && h("p", { class: "people" }, said.sentence, " ",
      h("a", { href: EG.address(["tables", about.name]) }, "Means of people"));
  }

  // A bar of an interval on the common scale, beside the number.
  function strip(line, low, high) {
    if (!(high > low)) return null;
    const at = (value) => (value - low) / (high - low) * WIDE;
    return EG.svg("svg", { viewBox: "0 0 " + WIDE + " 14", class: "strip", "aria-hidden": "true" },
      line.low === null ? null : EG.svg("line", { x1: at(line.low), x2: at(line.high), y1: 7, y2: 7 }), EG.svg("circle", { cx: at(line.value), cy: 7, r: 4 }));
  }

  // Anchors are there to be compared with: one that stands first has beaten nobody.
  function verdict(lead, models) {
    const names = models.map((line) => line.editor);
    if (!names.length) return "Anchors alone: there is no model to rank.";
    if (names.length === 1) return [h("strong", {}, names[0]), " beside anchors, which are no models. There is nobody to rank it with."];
    if (lead.certain) return [h("strong", {}, names[0]), " is ahead, and stays ahead in at least 95 % of the resamples."];
    const reach = lead.lines.filter((line) => line.rank_low === 1).map((line) => line.editor);
    return [h("strong", {}, names[0]), " has the best number, but that is not certain: ",
      h("strong", {}, (reach.length > 1 ? reach : names.slice(0, 2)).join(", ")), " could each be first. More samples would tell."];
  }

  function ranking(about) {
    const lead = Scores.lead(about);
    if (!lead) {
      return h("p", {}, about.editors.length < 2 ? "One model: there is nobody to rank it with. "
        : "No ranking: no two models have a number of one table on two common samples, and on half as many as the other at least, or the tables were made without intervals. ",
      h("a", { href: EG.address(["tables", about.name]) }, "The tables"), " have every number.");
    }
    const models = lead.lines.filter((line) => !Scores.anchor(about, line.editor));
    const ends = lead.lines.flatMap((line) => [line.low, line.high, line.value]).filter((v) => typeof v === "number");
    const low = Math.min(...ends), high = Math.max(...ends), room = (high - low) * 0.04 || 1;
    const fewer = Object.entries(lead.left_out).map(([editor, n]) => editor + " (" + n + ")");
    const notes = [
      lead.ahead && models.length > 1 && lead.lines[0].editor + " is ahead of " + lead.lines[1].editor + " by "
        + EG.number(lead.ahead.value, lead.digits) +
        " " + EG.interval(lead.ahead, lead.digits) + " (95 % interval of the difference on the same samples).",
      lead.n < lead.of && "Ranked on the " + lead.n + " of " + EG.plural(lead.of, "sample") + " that all of these models have a score of" +
        (lead.uneven ? ": the numbers differ from the tables', which take what each model has." : "."),
      lead.n < lead.least && "Fewer than " + lead.least + " samples: no intervals, and every rank is possible.",
      lead.returned.length && "Not ranked, as every picture came back unchanged: " + lead.returned.join(", ") + ".",
      fewer.length && "Not ranked, with too few scores or none in a part of this number: " + fewer.join(", ") + ".",
      Scores.facts(about, lead.link.metric).keeps && "This score tells what was kept, not what was done: a model that changes nothing wins it."
    ];
    const caption = "by " + lead.heading.join(" ") + Scores.arrow(lead.direction) + (lead.source ? " · " + Scores.short(about, lead.source) : "") +
      (lead.variant ? " (" + lead.variant + ")" : "") + (lead.lines.some((line) => line.low !== null) ? "; brackets: 95 % interval" : "");
    return h("div", { class: "ranking" }, h("p", { class: "verdict-line" }, verdict(lead, models)), notes.filter(Boolean)
      .map((note) => h("p", {}, note)),
      EG.table(caption, ["model", "score", "rank", "could be", "n", ""], lead.lines.map((line) => [line.editor,
        [EG.number(line.value, lead.digits), line.low === null ? null : h("small", { class: "interval" }, " " + EG.interval(line, lead.digits))],
          line.rank,
        line.rank_low === line.rank_high ? line.rank_low : line.rank_low + "–" + line.rank_high, line.n + "/" + line.of,
          strip(line, low - room, high + room)])));
  }

  // The paper's headline columns, and its own lines where they can be compared.
  function headlines(about) {
    const lead = Scores.lead(about), published = lead && lead.paper && lead.paper.rows.some((row) => row.kind === "published");
    return lead && lead.paper && h("div", {}, h("p", { class: "note" }, "The headline columns of the table, of all the samples that each model has" +
      (published ? "; † is the paper's line" : "") + ":"), Tables.lines(about, lead.paper));
  }

  // Whether it happened to all models (anchors aside, where they are none of them), and on the same samples.
  function alike(about, index, status, models) {
    const names = models.map(([editor]) => editor), own = about.editors.filter((editor) => !Scores.anchor(about, editor));
    if (!own.every((editor) => names.includes(editor)) || (names.length > own.length && names.length < about.editors.length)) return false;
    const tests = names.map((editor) => Scores.having(index, about.editors.indexOf(editor), status));
    return index.ids.every((_, i) => tests.every((test) => test(i) === tests[0](i)));
  }

  // What went wrong, by status: the models with their numbers of samples, each of which opens exactly those.
  function wrong(about, index) {
    const back = (one) => Scores.anchor(about, one.editor) ? 0 : one.given_back; // an anchor that changes nothing does what it is for
    const lines = Scores.statuses().filter((status) => !["scored", "not_applicable"].includes(status)).map((status) => {
      const metrics = new Set(about.coverage.flatMap((one) => one.metrics[status] || []));
      const models = about.coverage.map((one) => [one.editor, status === Scores.GIVEN_BACK ? back(one) : one.counts[status]]).filter((one) => one[1]);
      const title = Array.from(metrics, (name) => Scores.facts(about, name).title), all = models.length > 1 && alike(about, index, status, models);
      const link = (editor, n) => h("a", { "data-status": status,
        href: EG.address(["browse", about.name], new URLSearchParams(all ? { status } : { e: editor, status })) }, editor + " " + n);
      return models.length && h("li", {}, EG.words(status), title.length
        ? h("small", {}, " (" + title.slice(0, 3).join(", ") + (title[3] ? "…" : "") + ")") : null, ": ",
        all ? link("every model", models[0][1]) : models.slice(0, 6).map(([editor, n], at) => [at ? ", " : "", link(editor, n)]),
        models[6] && !all ? h("a", { href: EG.address(["tables", about.name]) }, " and " + (models.length - 6) + " more") : null);
    }).filter(Boolean);
    return h("div", { class: "wrong" }, h("h3", {}, "What went wrong"), lines.length ? h("ul", {}, lines)
      : h("p", {}, "Every output was there and could be scored."));
  }

  // The means of the ranked models by the benchmark's first attribute.
  function groups(about, index) {
    const name = about.overview.groups, lead = Scores.lead(about);
    if (!name || !lead) return null;
    const key = Scores.keyOf(about.overview.by), title = Scores.name(about, key) + " by " + name, place = h("div");
    return h("details", { class: "groups", ontoggle: async () => {
      if (place.firstChild) return;
      const { codes, about: { values } } = Select.codesOf(index, about, name), labels = values.filter(Boolean);
      const columns = await Promise.all(lead.lines.map((line) => Scores.load(about, line.editor, key)));
      const of = (value) => index.ids.map((_, i) => i).filter((i) => codes[i] === values.indexOf(value)), at = labels.map(of);
      EG.fill(place, EG.table(title, ["model"].concat(labels.map((label, n) => label + " (" + at[n].length + ")")), lead.lines.map((line, row) =>
        [line.editor].concat(at.map((places) => {
          const known = places.map((i) => columns[row] ? columns[row].values[i] : NaN).filter(Number.isFinite);
          return known.length > 1 ? EG.number(known.reduce((a, b) => a + b, 0) / known.length, lead.digits) : "–"; // one score is no group's mean
        })))));
    } }, h("summary", {}, title), place);
  }

  // `one`: [sample, [editor, value], …]; the right answer stands beside, where there is one and it is asked for.
  function card(about, index, one, reference) {
    const by = about.overview.by, [position, ...shown] = one, id = index.ids[position], names = shown.map(([editor]) => about.editors[editor]);
    const query = new URLSearchParams(names.length > 1 ? names.map((name) => ["p", "edit:" + name]) : { e: names[0] });
    const slots = [["input", "input"]].concat(shown.map(([editor, value]) => [editor, about.editors[editor] + // JSON has no infinity
      (typeof value === "number" ? " " + Scores.text(about, Scores.keyOf(by), value) : "")]));
    if (reference && Scores.has(index, "reference", position)) slots.push(["reference", "reference"]);
    return h("li", {}, h("a", { class: "card", title: id, href: EG.address(["sample", about.name, id], query) },
      h("span", { class: "pair" }, slots.map(([slot, word]) => Scores.captioned(about, index, slot, position, word))),
      h("span", { class: "card-ask", dir: "auto" }, about.overview.asked[position] || id)));
  }

  function first(about, index) {
    const seen = about.overview, by = seen.by;
    if (!by) return null;
    const strip = (title, list, reference) => list.length ? h("section", {}, h("h3", {}, title),
      h("ul", { class: "cards" }, list.map((one) => card(about, index, one, reference)))) : null;
    return h("div", { class: "firsts" },
      seen.edits ? null : h("p", { class: "warn" }, "The run has no edit with this score, only anchors and inputs that were given back: those are shown."),
      seen.best.length ? strip("Edits of " + about.editors[seen.best[0][1][0]] + ", from its best score to its worst", seen.best, true) : null,
      strip("Worst samples by " + Scores.name(about, Scores.keyOf(by)) + (EG.meta.variants.length > 1 ? " (" + by.variant + ")" : ""), seen.worst),
      strip("Where models differ most", seen.contested));
  }

  function benchmark(about, index) {
    const ways = [["browse", "All samples"], ["tables", "Tables and figures"], ["reviewers", "For reviewers: what each model damaged"]];
    return h("section", { class: "bench", "aria-labelledby": "b-" + about.name },
      h("h2", { id: "b-" + about.name }, about.title, about.about ? h("small", { class: "about-it" }, about.about) : null), extent(about), people(about),
      h("div", { class: "columns" }, ranking(about), wrong(about, index)), headlines(about), groups(about, index), first(about, index),
      h("p", { class: "ways" }, ways.map(([view, words]) => h("a", { href: EG.address([view, about.name]) }, words))));
  }

  async function show(main, live) {
    const indexes = await Promise.all(EG.meta.benchmarks.map(EG.index));
    if (!live()) return;
    const { title, author, date } = EG.meta.headed, by = [author, date].filter(Boolean).join(" · ");
    document.title = title || "editgauge report";
    EG.fill(main, h("h1", {}, title || "Report of " + EG.meta.runs.join(", ")), by ? h("p", {}, by) : null,
      EG.meta.problems.length ? h("div", { class: "notice" }, h("p", {}, "Found while reading the run:"),
        h("ul", {}, EG.meta.problems.map((problem) => h("li", {}, problem)))) : null,
      EG.meta.benchmarks.map((about, at) => benchmark(about, indexes[at])));
  }

  return { show };
})();
