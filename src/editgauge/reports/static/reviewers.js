"use strict";
// For readers who know no metric: what was damaged where nothing should change, by model and by category, the worst cases first.
const Reviewers = (function () {
  const h = EG.h, CASES = 3, MOST_GROUPS = 60;

  // The measure of damage: the first of those that tell what was kept that has values.
  function measure(about) {
    const keys = Scores.keys(about).filter((key) => !Scores.person(key) && Scores.facts(about, key).direction);
    return about.overview.kept.map((metric) => keys.find((key) => Scores.split(key).metric === metric)).find(Boolean);
  }

  // {n, mean, worst: positions, worst first} of the samples that pass `here`.
  function summed(values, sign, here) {
    const worst = Array.from(values.keys()).filter((i) => values[i] === values[i] && here(i)),
      finite = worst.filter((i) => Number.isFinite(values[i]));
    worst.sort((a, b) => (values[a] - values[b]) * sign);
    return { n: worst.length, mean: finite.length ? finite.reduce((sum, i) => sum + values[i], 0) / finite.length : null, worst };
  }

  function cases(about, index, text, key, model, worst) {
    return h("ul", { class: "cards cases" }, worst.filter(model.sure).slice(0, CASES).map((position) => h("li", {},
      h("a", { class: "card", href: EG.address(["sample", about.name, index.ids[position]],
        [["p", "input"], ["p", "edit:" + model.name], ["e", model.name]]) },
        h("span", { class: "pair" }, Scores.captioned(about, index, "input", position, "before"),
          Scores.captioned(about, index, model.number, position, "after")),
        h("span", { class: "card-ask", dir: "auto" }, text[position]),
          h("small", {}, Scores.text(about, key, model.values[position]), " · ", index.ids[position])))));
  }

  // The samples of each category of a model, the worst first.
  function divided(about, index, text, key, model, sign, by) {
    const codes = Select.codesOf(index, about, by.name).codes;
    const rows = by.values.map((value, code) => ({ value, found: summed(model.values, sign, (i) => codes[i] === code) }))
      .filter((row) => row.value && row.found.n)
      .sort((a, b) => (a.found.mean - b.found.mean) * sign);
    const several = rows.find((row) => row.found.n > 1); // one picture tells nothing of its group
    return h("details", {}, h("summary", {}, "By " + by.name + (several ? ": worst is " + several.value : "")),
      rows.map(({ value, found }) => h("div", { class: "group" },
      h("h3", {}, value + ": " + Scores.text(about, key, found.mean) + " over " + EG.plural(found.n, "picture") + " "),
        cases(about, index, text, key, model, found.worst),
      h("p", {}, h("a", { href: EG.address(["browse", about.name],
        { e: model.name, m: key, sort: "score", desc: sign < 0 ? "1" : "", where: by.name + "=" + value }) },
        "all of these, the worst first")))));
  }

  async function show(main, about, query, live) {
    const key = measure(about), title = h("h1", {}, about.title + ": for reviewers");
    document.title = about.title + ": for reviewers – editgauge report";
    if (!key) {
      return EG.fill(main, title, h("p", { class: "notice" },
        "Nothing in this run measures what was kept outside the wanted change. The samples themselves: ",
        h("a", { href: EG.address(["browse", about.name]) }, "all pictures"), "."));
    }
    const [index, text, ...columns] = await Promise.all([EG.index(about),
      EG.text(about)].concat(about.editors.map((name) => Scores.load(about, name, key))));
    if (!live()) return;
    const { direction, plain } = Scores.facts(about, key), sign = direction === "lower" ? -1 : 1;
    // where the reference itself changes more than its masks say, a change there is no damage
    const doubt = about.attributes.some((one) => one.name === "reference_outside") && Select.codesOf(index, about, "reference_outside");
    const sure = (i) => !doubt || doubt.about.values[doubt.codes[i]] !== "true";
    const models = about.editors.map((name, number) => ({ name, number, sure, values: columns[number] ? columns[number].values : [] })).map((model) =>
      Object.assign(model, { all: summed(model.values, sign, () => true) })).filter((model) => model.all.n);
    const without = about.editors.filter((name) => !Scores.anchor(about, name) && !models.some((model) => model.name === name));
    const real = models.filter((model) => !Scores.anchor(about, model.name)), anchors = real.length
      ? models.filter((model) => !real.includes(model)) : [];
    const groups = about.attributes.filter((one) => !one.numeric && one.values.length > 1 && one.values.length <= MOST_GROUPS && one.name !== "split");
    const by = [query.get("by"), "organ"].map((name) => groups.find((one) => one.name === name)).find(Boolean) || groups.find((one) => one.values.length <= 20) || groups[0];
    const pick = by && h("select", { id: "by", onchange: () => { location.hash = EG.address(["reviewers", about.name], { by: pick.value }); } },
      groups.map((one) => h("option", { value: one.name, selected: one === by }, one.name)));
    EG.fill(main, title,
      h("p", { class: "lead" }, "Each model was asked to change one thing in a picture. This page shows what it changed beside that: the model that damaged most comes first, and of each its worst pictures, before and after. A click shows them large."),
      h("p", {}, "The number below a picture says " + (plain || "how much of what should not change was kept") + ". ", direction === "higher"
        ? "A low number is damage." : "A high number is damage.",
        " It is called ", Scores.tip(about, key), " in the tables."),
      pick ? h("p", { class: "control" }, h("label", { for: "by" }, "Group by"), pick) : null,
      (real.length ? real : models).sort((a, b) => ((a.all.mean ?? Infinity) - (b.all.mean ?? Infinity)) * sign).map((model, rank) => {
        const back = Scores.returned(index, model.number), edited = summed(model.values, sign, (i) => !back[i]),
          lost = index.ids.filter((_, i) => Scores.fate(index, model.number, i)).length;
        return h("section", { class: "model", "data-editor": model.name, "aria-labelledby": "m-" + model.number },
          h("h2", { id: "m-" + model.number }, (rank + 1) + ". " + model.name),
          h("p", {}, "On average ", h("strong", {}, Scores.text(about, key, model.all.mean)), " over " + EG.plural(model.all.n, "picture"),
            edited.n === model.all.n ? "" : edited.n ? "; " + (model.all.n - edited.n)
              + " of them came back unchanged, and over the others it is " + Scores.text(about, key, edited.mean)
              : "; all of them came back unchanged", lost ? "; " + lost + " of " + about.samples + " samples have no picture" : "", "."),
          cases(about, index, text, key, model, model.all.worst), by ? divided(about, index, text, key, model, sign, by) : null);
      }),
      without.length ? h("p", { class: "warn" }, "Without such a number: " + without.join(", ") + ".") : null,
      anchors.length ? h("p", {}, "To compare, no models: "
        + anchors.map((model) => model.name + " " + Scores.text(about, key, model.all.mean)).join(", ") + ".") : null);
  }

  return { show };
})();
