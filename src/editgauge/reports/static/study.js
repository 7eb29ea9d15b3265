"use strict";
// What people said of one benchmark: agreement, metrics against people, contested samples.
var StudyView = (function () {
  var h = EG.h;
  var SVG = "http://www.w3.org/2000/svg";
  var SIDE = 380, PAD = 56, ROOM = SIDE - PAD - 14; // pixels of the drawing, its margin, and what is left for points
  var FURTHEST = 10;

  // Positions in percent: which share of samples this one is better than. Makes metrics of any scale comparable.
  function percentiles(values, direction) {
    var order = [];
    for (var i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) order.push(i);
    order.sort(function (a, b) { return values[a] - values[b]; });
    var out = new Float32Array(values.length).fill(NaN);
    for (var start = 0; start < order.length;) {
      var end = start;
      while (end + 1 < order.length && values[order[end + 1]] === values[order[start]]) end++;
      var share = order.length > 1 ? (start + end) / 2 / (order.length - 1) : 0.5;
      for (var k = start; k <= end; k++) out[order[k]] = direction === "lower" ? 1 - share : share;
      start = end + 1;
    }
    return out;
  }

  function s(tag, attributes, text) {
    var node = document.createElementNS(SVG, tag);
    Object.keys(attributes).forEach(function (name) { node.setAttribute(name, String(attributes[name])); });
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function short(value) { return String(Number(value.toPrecision(4))); }

  // Some round numbers over a range.
  function ticks(low, high) {
    var rough = (high - low) / 6 || 1, unit = Math.pow(10, Math.floor(Math.log10(rough)));
    var step = [1, 2, 5, 10].map(function (k) { return k * unit; }).find(function (one) { return one >= rough; });
    var found = [];
    for (var at = Math.ceil(low / step); at * step <= high + step * 1e-9; at++) found.push(at * step);
    return found;
  }

  function range(values) {
    var low = Infinity, high = -Infinity;
    values.forEach(function (value) { low = Math.min(low, value); high = Math.max(high, value); });
    var room = (high - low || Math.abs(high) || 1) * 0.06;
    return { low: low - room, high: high + room };
  }

  // Outputs with a mean of people and a value of the metric: [{editor, sample, people, value}]
  function points(question, metric) {
    var found = [];
    question.outputs.forEach(function (output, at) {
      var value = metric.values[at];
      if (value !== null) found.push({ editor: output[0], sample: output[1], people: output[2], value: value });
    });
    return found;
  }

  // Many outputs lie at one place where both scales are coarse: one circle, whose area tells how many.
  function places(list) {
    var found = new Map();
    list.forEach(function (one) {
      var key = one.value + " " + one.people;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(one);
    });
    return Array.from(found.values());
  }

  function axis(svg, across, scale, name) {
    ticks(scale.low, scale.high).forEach(function (tick) {
      var at = scale.place(tick);
      svg.append(s("line", across ? { x1: at, x2: at, y1: 14, y2: 14 + ROOM, class: "grid" }
        : { x1: PAD, x2: PAD + ROOM, y1: at, y2: at, class: "grid" }));
      svg.append(s("text", across ? { x: at, y: 14 + ROOM + 16, "text-anchor": "middle" }
        : { x: PAD - 6, y: at + 4, "text-anchor": "end" }, short(tick)));
    });
    svg.append(s("text", across ? { x: PAD + ROOM / 2, y: SIDE - 4, "text-anchor": "middle", class: "axis" }
      : { x: 14, y: 14 + ROOM / 2, "text-anchor": "middle", class: "axis", transform: "rotate(-90 14 " + (14 + ROOM / 2) + ")" }, name));
  }

  function drawn(about, ids, question, metric, list, chosen) {
    var x = range(list.map(function (one) { return one.value; })), y = range(list.map(function (one) { return one.people; }));
    x.place = function (value) { return PAD + (value - x.low) / (x.high - x.low) * ROOM; };
    y.place = function (value) { return 14 + ROOM - (value - y.low) / (y.high - y.low) * ROOM; };
    var words = nameOf(metric) + " against people, " + question.question + ": " + list.length + " outputs";
    var svg = s("svg", { viewBox: "0 0 " + SIDE + " " + SIDE, width: SIDE, height: SIDE, class: "scatter", role: "img", "aria-label": words });
    axis(svg, true, x, nameOf(metric) + arrow(metric.direction));
    axis(svg, false, y, "people: " + question.question + (question.scale === "rank" ? ", mean rank" : "") + arrow(question.direction));
    var groups = places(list), most = Math.max.apply(null, groups.map(function (group) { return group.length; }));
    groups.forEach(function (group) {
      var first = group[0];
      var circle = s("circle", { cx: x.place(first.value), cy: y.place(first.people), class: "point",
        r: most > 1 ? 3 + 9 * Math.sqrt(group.length / most) : 4,
        "data-value": first.value, "data-people": first.people, "data-outputs": group.length });
      circle.append(s("title", {}, short(first.value) + " and " + short(first.people) + ": " +
        (group.length > 1 ? group.length + " outputs" : ids[first.sample] + ", " + about.editors[first.editor])));
      circle.addEventListener("click", function () { chosen(group); });
      svg.append(circle);
    });
    return svg;
  }

  function arrow(direction) { return { higher: " ↑", lower: " ↓" }[direction] || ""; }

  var shown = null; // the benchmark whose metrics are named

  function nameOf(metric) {
    return Scores.name(shown, Scores.keyOf(metric)) + (metric.variant === "corrected" ? " (corrected)" : "");
  }

  function link(about, ids, one, metric) {
    var query = new URLSearchParams({ e: about.editors[one.editor], m: Scores.keyOf(metric) });
    return h("a", { href: EG.address(["sample", about.name, ids[one.sample]], query) },
      ids[one.sample] + ", " + about.editors[one.editor]);
  }

  function outputs(about, ids, metric, list) {
    return h("ol", {}, list.map(function (one) {
      return h("li", {}, link(about, ids, one, metric), ": " + short(one.value) + ", people " + short(one.people));
    }));
  }

  // Where a metric and people stand furthest apart: by the share of outputs that each finds worse.
  function furthest(question, metric, list) {
    var ours = percentiles(Float64Array.from(list, function (one) { return one.value; }), metric.direction);
    var theirs = percentiles(Float64Array.from(list, function (one) { return one.people; }), question.direction);
    return list.map(function (one, at) { return { one: one, gap: Math.abs(ours[at] - theirs[at]) }; })
      .filter(function (item) { return item.gap > 0; })
      .sort(function (a, b) { return b.gap - a.gap; })
      .slice(0, FURTHEST).map(function (item) { return item.one; });
  }

  function interval(item) {
    if (!item || item.value === null) return "not defined";
    var around = item.low === null ? "" : " [" + EG.number(item.low, 3) + ", " + EG.number(item.high, 3) + "]";
    return EG.number(item.value, 3) + around;
  }

  function numbers(agreement, question, metric) {
    var line = agreement.metrics.find(function (one) {
      return one.question === question.question && one.metric === metric.metric && one.source === metric.source &&
        one.variant === metric.variant;
    });
    if (!line) return null;
    return h("p", {}, "Spearman per sample " + interval(line.spearman) + ", Pearson r " + interval(line.pearson) +
      "; " + line.annotators + " annotators, " + line.rated + " samples. 95 % intervals by resampling samples.");
  }

  function against(about, ids, facts, question, number) {
    var there = question.metrics.filter(function (metric) { return points(question, metric).length; });
    if (!there.length) return h("p", {}, "No metric of this run has a known direction and a score of what people rated.");
    there.sort(function (a, b) { return (b.metric === question.question) - (a.metric === question.question); });
    var plot = h("div", { class: "plot" }), pick = h("select", { id: "metric-" + number, onchange: draw },
      there.map(function (metric, at) { return h("option", { value: at }, nameOf(metric)); }));
    var who = h("select", { id: "who-" + number, onchange: draw }, h("option", { value: "" }, "all editors"),
      about.editors.map(function (editor, at) { return h("option", { value: at }, editor); }));
    function draw() {
      var metric = there[Number(pick.value)], list = points(question, metric).filter(function (one) {
        return who.value === "" || one.editor === Number(who.value);
      });
      var picked = h("div", { class: "picked", role: "status" });
      if (!list.length) return EG.fill(plot, h("p", {}, "People rated no output of this editor that has this score."));
      var far = furthest(question, metric, list);
      EG.fill(plot, h("figure", {}, drawn(about, ids, question, metric, list, function (group) {
        EG.fill(picked, h("p", {}, "At this point:"), outputs(about, ids, metric, group));
      }), h("figcaption", {}, list.length + " outputs. The area of a circle tells how many lie there; a click lists them.")),
      h("div", {}, who.value === "" ? numbers(facts.agreement, question, metric) : null, picked,
        far.length ? [h("h4", {}, "Furthest from people"), outputs(about, ids, metric, far)] : null));
    }
    draw();
    return [h("div", { class: "controls" },
      h("p", { class: "control" }, h("label", { for: "metric-" + number }, "Metric"), pick),
      h("p", { class: "control" }, h("label", { for: "who-" + number }, "Editor"), who)), plot];
  }

  function contested(at, about, index, question) {
    var ids = index.ids;
    if (!question.contested.length) return h("p", {}, "No two annotators differ, or each sample was rated by one only.");
    return h("ol", { class: "contested" }, question.contested.map(function (item) {
      var position = ids.indexOf(item.sample), said = new Map();
      item.answers.forEach(function (one) {
        if (!said.has(one[0])) said.set(one[0], []);
        said.get(one[0]).push(one[1] + " " + short(one[2]));
      });
      return h("li", {}, h("p", {}, h("a", { href: EG.address(["sample", about.name, item.sample]) }, item.sample),
        " · two annotators differ by " + short(item.difference) + " on average"),
      h("div", { class: "said" }, h("figure", {}, Scores.thumb(at, index, "input", position, "input"), h("figcaption", {}, "input")),
        Array.from(said.keys()).map(function (editor) {
          return h("figure", {}, Scores.thumb(at, index, about.editors.indexOf(editor), position, editor),
            h("figcaption", {}, editor, h("br"), h("small", {}, said.get(editor).join(", "))));
        })));
    }));
  }

  function show(main, at, about, live, tableNode) {
    if (!about.study) return Promise.reject(new Error("Nobody rated " + about.title + " in this run."));
    return Promise.all([EG.study(at), EG.index(at)]).then(function (loaded) {
      if (!live()) return;
      shown = about;
      var facts = loaded[0], ids = loaded[1].ids;
      EG.fill(main, h("h1", {}, about.title + ": what people said"),
        facts.questions.map(function (question, number) {
          return h("section", { "aria-labelledby": "q-" + number, class: "question" },
            h("h2", { id: "q-" + number }, question.question + " (" + EG.words(question.scale) + ")"),
            h("h3", {}, "Metrics against people"), against(about, ids, facts, question, number),
            h("h3", {}, "Samples on which people differ most"), contested(at, about, loaded[1], question));
        }),
        h("section", { "aria-labelledby": "agreement" }, h("h2", { id: "agreement" }, "Agreement"),
          about.tables.map(function (table, number) {
            return facts.tables.indexOf(table.name) < 0 ? null : tableNode(about, table, number, loaded[1]);
          })));
      EG.say(about.title + ": what people said");
    });
  }

  return { show: show };
})();
