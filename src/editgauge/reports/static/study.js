"use strict";
// What people said of one benchmark: metrics against people, contested samples, agreement.
const StudyView = (function () {
  const h = EG.h, s = EG.svg;
  const SIDE = 380, PAD = 56, ROOM = SIDE - PAD - 14; // pixels of the drawing, its margin, and what is left for points

  const short = (value) => String(Number(value.toPrecision(4)));

  // A scale over values: round ticks, and the place of a value between 0 and ROOM.
  function scale(values) {
    const least = Math.min(...values), most = Math.max(...values), room = (most - least || Math.abs(most) || 1) * 0.06, low = least - room,
      high = most + room;
    const rough = (high - low) / 6, unit = 10 ** Math.floor(Math.log10(rough)),
      step = [1, 2, 5, 10].map((k) => k * unit).find((one) => one >= rough), ticks = [];
    for (let at = Math.ceil(low / step); at * step <= high; at++) ticks.push(at * step);
    return { ticks, place: (value) => (value - low) / (high - low) * ROOM };
  }

  // Outputs with a mean of people and a value of the metric; better is up and to the right. Many lie at one place where both scales are
  // coarse: one circle, whose area tells how many.
  function drawn(about, ids, question, metric, name, list, chosen) {
    const flip = (scaled, direction) => (value) => direction === "lower" ? ROOM - scaled.place(value) : scaled.place(value);
    const across = scale(list.map((one) => one.value)), up = scale(list.map((one) => one.people));
    const x = flip(across, metric.direction), y = flip(up, question.direction), places = new Map();
    list.forEach((one) => { const at = one.value + " " + one.people; places.set(at, (places.get(at) || []).concat([one])); });
    const most = Math.max(...Array.from(places.values(), (group) => group.length)), bottom = 14 + ROOM,
      sorted = [...places.values()].sort((a, b) => b.length - a.length);
    return s("svg", { viewBox: "0 0 " + SIDE + " " + SIDE, class: "scatter", role: "img", "aria-label": name + " against " + question.question
      + " of people" },
      across.ticks.map((tick) => [s("line", { x1: PAD + x(tick), x2: PAD + x(tick), y1: 14, y2: bottom, class: "grid" }),
        s("text", { x: PAD + x(tick), y: bottom + 16, "text-anchor": "middle" }, short(tick))]),
      up.ticks.map((tick) => [s("line", { x1: PAD, x2: PAD + ROOM, y1: bottom - y(tick), y2: bottom - y(tick), class: "grid" }),
        s("text", { x: PAD - 6, y: bottom - y(tick) + 4, "text-anchor": "end" }, short(tick))]),
      s("text", { x: PAD + ROOM / 2, y: SIDE - 6, "text-anchor": "middle", class: "axis" }, name + Scores.arrow(metric.direction)),
      s("text", { x: 12, y: 14 + ROOM / 2, "text-anchor": "middle", class: "axis", transform: "rotate(-90 12 " + (14 + ROOM / 2) + ")" },
        "people: " + question.question),
      sorted.map((group) => s("circle", { cx: PAD + x(group[0].value), cy: bottom - y(group[0].people), class: "point",
        r: most > 1 ? 3 + 9 * Math.sqrt(group.length / most) : 4, "data-value": group[0].value, "data-people": group[0].people,
          "data-outputs": group.length,
        onclick: () => chosen(group) }, s("title", {}, short(group[0].value) + " and " + short(group[0].people) + ": "
          + EG.plural(group.length, "output")))));
  }

  function outputs(about, ids, metric, list) {
    return h("ol", {}, list.map((one) => h("li", {}, h("a", { href: EG.address(["sample", about.name, ids[one.sample]],
      new URLSearchParams({ e: about.editors[one.editor], m: Scores.keyOf(metric) })) }, ids[one.sample] + ", " + about.editors[one.editor]),
    ": " + short(one.value) + ", people " + short(one.people))));
  }

  function against(about, ids, question, number) {
    const points = (metric) => question.outputs.map(([editor, sample, people], at) => ({ editor, sample, people, value: metric.values[at] }))
      .filter((one) => one.value !== null);
    const there = question.metrics.filter((metric) => points(metric).length)
      .sort((a, b) => (b.metric === question.question) - (a.metric === question.question));
    if (!there.length) return h("p", {}, "No metric of this run has a known direction and a score of what people rated.");
    const nameOf = (metric) => Scores.name(about, Scores.keyOf(metric)) + (metric.variant === "corrected" ? " (corrected)" : "");
    const plot = h("div", { class: "plot" }), option = (name, at) => h("option", { value: at }, name);
    const pick = h("select", { id: "metric-" + number, onchange: draw }, there.map(nameOf).map(option));
    const who = h("select", { id: "who-" + number, onchange: draw }, option("all editors", ""), about.editors.map(option));
    function draw() {
      const metric = there[Number(pick.value)], list = points(metric).filter((one) => who.value === "" || one.editor === Number(who.value));
      const picked = h("div", { class: "picked", role: "status" });
      if (!list.length) return EG.fill(plot, h("p", {}, "People rated no output of this editor that has this score."));
      EG.fill(plot, h("figure", {}, drawn(about, ids, question, metric, nameOf(metric), list,
        (group) => EG.fill(picked, h("p", {}, "At this point:"), outputs(about, ids, metric, group))),
        h("figcaption", {}, EG.plural(list.length, "output") + ". The area of a circle tells how many lie there; a click lists them.")), picked);
    }
    draw();
    return [h("div", { class: "controls" }, h("p", { class: "control" }, h("label", { for: "metric-" + number }, "Metric"), pick),
      h("p", { class: "control" }, h("label", { for: "who-" + number }, "Editor"), who)), plot];
  }

  function contested(about, index, question) {
    if (!question.contested.length) return h("p", {}, "No two annotators differ, or each sample was rated by one only.");
    return h("ol", { class: "contested" }, question.contested.map((item) => {
      const position = index.ids.indexOf(item.sample), said = new Map();
      item.answers.forEach(([editor, person, value]) => said.set(editor, (said.get(editor) || []).concat(person + " " + short(value))));
      return h("li", {}, h("p", {}, h("a", { href: EG.address(["sample", about.name, item.sample]) }, item.sample),
        " · two annotators differ by " + short(item.difference) + " on average"),
        h("div", { class: "said" }, [["input", "input", []]].concat(Array.from(said,
          ([editor, told]) => [about.editors.indexOf(editor), editor, told])).map(([slot, name, told]) =>
          h("figure", {}, Scores.thumb(about, index, slot, position, name), h("figcaption", {}, name, h("br"), h("small", {}, told.join(", ")))))));
    }));
  }

  async function show(main, about, live) {
    if (!about.study) throw new Error("Nobody rated " + about.title + " in this run.");
    const [facts, index] = await Promise.all([EG.study(about), EG.index(about)]);
    if (!live()) return;
    EG.fill(main, h("h1", {}, about.title + ": what people said"), h("p", {}, facts.summary),
      facts.questions.map((question, number) => h("section", { "aria-labelledby": "q-" + number },
      h("h2", { id: "q-" + number }, question.question + " (" + EG.words(question.scale) + ")"),
      h("h3", {}, "Metrics against people"), against(about, index.ids, question, number),
      h("h3", {}, "Samples on which people differ most"), contested(about, index, question))),
    h("section", { "aria-labelledby": "agreement" }, h("h2", { id: "agreement" }, "Agreement"),
      about.tables.map((table, number) => facts.tables.includes(table.name) ? Tables.node(about, table, number) : null)));
    EG.say(about.title + ": what people said");
  }

  return { show };
})();
