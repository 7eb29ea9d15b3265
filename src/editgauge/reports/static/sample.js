"use strict";
// One sample: what was asked, every picture, every score with its reason. Pictures are compared by CSS alone.
var SampleView = (function () {
  var h = EG.h;
  var MODES = [["side", "Side by side"], ["slider", "Slider"], ["flicker", "Flicker"], ["diff", "Difference"], ["mask", "Mask"]];
  var timer = 0;

  function stop() { clearInterval(timer); timer = 0; }

  function sources(detail) {
    var list = [];
    (detail.images || []).forEach(function (url, at) {
      list.push({ key: at ? "input" + (at + 1) : "input", name: at ? "Input " + (at + 1) : "Input", url: url });
    });
    if (detail.reference) list.push({ key: "reference", name: "Reference", url: detail.reference });
    Object.keys(detail.edits).sort().forEach(function (editor) {
      list.push({ key: "edit:" + editor, name: editor, url: detail.edits[editor].url || null, edit: detail.edits[editor] });
    });
    return list;
  }

  function picture(source, extra) {
    if (!source.url) {
      var why = source.edit ? EG.words(source.edit.status) + (source.edit.reason ? ": " + source.edit.reason : "") : "not in this run";
      return h("p", { class: "none" }, source.name + " – no picture (" + why + ")");
    }
    return h("img", Object.assign({ src: source.url, alt: source.name, decoding: "async", class: "full" }, extra || {}));
  }

  function pair(detail, query) {
    var list = sources(detail), wanted = (query.get("editors") || "").split(",").filter(Boolean);
    function find(key) { return list.find(function (one) { return one.key === key; }); }
    var a = find(query.get("left")), b = find(query.get("right"));
    if (!b) b = find("edit:" + (wanted.length > 1 ? wanted[1] : wanted[0] || query.get("e") || ""));
    if (!a && wanted.length > 1) a = find("edit:" + wanted[0]);
    if (!a) a = find("input") || list[0];
    if (!b) b = list.find(function (one) { return one.edit && one.url; }) || list[list.length - 1];
    return { a: a, b: b, list: list };
  }

  function stage(detail, query, mode, chosen) {
    stop();
    var a = chosen.a, b = chosen.b;
    if (mode === "side" || !a.url || !b.url) {
      return h("div", { class: "stage side" },
        h("figure", {}, picture(a), h("figcaption", {}, a.name)), h("figure", {}, picture(b), h("figcaption", {}, b.name)));
    }
    var under = picture(a), over = picture(b, { class: "full over" });
    var box = h("div", { class: "stack " + mode }, under, over);
    var below = [];
    if (mode === "slider") {
      over.style.clipPath = "inset(0 0 0 50%)";
      below.push(h("label", { for: "slide" }, "Left of the line: " + a.name + ", right of it: " + b.name),
        h("input", { type: "range", id: "slide", min: 0, max: 100, step: 0.5, value: 50, oninput: function (event) {
          over.style.clipPath = "inset(0 0 0 " + event.target.value + "%)";
        } }));
    }
    if (mode === "flicker") {
      var now = h("span", { class: "now" }, b.name);
      var swap = function () {
        over.hidden = !over.hidden;
        now.textContent = over.hidden ? a.name : b.name;
      };
      var button = h("button", { type: "button", id: "flick", onclick: function () {
        if (timer) stop(); else timer = setInterval(swap, 500);
        button.textContent = timer ? "Stop" : "Start";
      } }, "Start");
      below.push(h("p", {}, button, " ", h("button", { type: "button", id: "swap", onclick: swap }, "Swap once"), " shown: ", now));
    }
    if (mode === "diff") {
      below.push(h("p", {}, "Bright where " + a.name + " and " + b.name + " differ, black where they are the same to the bit. " +
        "A picture of another size is stretched over the first."));
    }
    if (mode === "mask") {
      over.remove();
      box.replaceChildren(picture(b));
      var masks = Object.keys(detail.masks || {}).filter(function (name) { return detail.masks[name]; });
      masks.forEach(function (name) {
        box.append(h("img", { src: detail.masks[name], alt: "mask " + name, class: "full over tint" }));
      });
      below.push(h("p", {}, masks.length ? "Tinted: what may change (" + masks.join(", ") + "), over " + b.name + "." : "This sample has no mask."));
    }
    return h("div", { class: "stage" }, below, box);
  }

  // `size`: the width and height in whose pixels the boxes are; without it, those of the picture itself.
  function boxes(figure, list, size, kind) {
    var image = figure.querySelector("img");
    if (!image || !list || !list.length) return;
    function draw() {
      var ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
      size = size || [image.naturalWidth, image.naturalHeight];
      svg.setAttribute("viewBox", "0 0 " + size[0] + " " + size[1]);
      svg.setAttribute("class", "boxes " + kind);
      svg.setAttribute("preserveAspectRatio", "none");
      svg.setAttribute("aria-hidden", "true");
      list.forEach(function (box) {
        var rect = document.createElementNS(ns, "rect");
        rect.setAttribute("x", box[0]);
        rect.setAttribute("y", box[1]);
        rect.setAttribute("width", Math.max(0, box[2] - box[0]));
        rect.setAttribute("height", Math.max(0, box[3] - box[1]));
        var title = document.createElementNS(ns, "title");
        title.textContent = String(box[4] || "");
        rect.append(title);
        svg.append(rect);
      });
      image.parentNode.append(svg);
    }
    if (image.complete && image.naturalWidth) draw(); else image.addEventListener("load", draw);
  }

  function gallery(detail, about, rows) {
    return h("section", { "aria-labelledby": "all" }, h("h2", { id: "all" }, "All pictures"),
      h("div", { class: "gallery" }, sources(detail).map(function (source) {
        var facts = [];
        if (source.edit) {
          var e = source.edit;
          if (e.width) facts.push(e.width + " × " + e.height);
          if (e.seconds !== undefined) facts.push(EG.number(e.seconds, 2) + " s");
          if (e.given_back === true) facts.push("the input given back");
          if (e.cost !== undefined) facts.push("$" + EG.number(e.cost, 4));
          if (e.seed !== undefined) facts.push("seed " + e.seed);
          if (e.status !== "scored") facts.push(EG.words(e.status) + (e.reason ? ": " + e.reason : ""));
        }
        var holder = h("div", { class: "holder" }, picture(source, { loading: "lazy" }));
        // text was read at the size of the first input, whatever the output's; people mark the output itself
        boxes(holder, textBoxes(rows, about, source), detail.size, "text");
        var marks = marked(rows, about, source);
        boxes(holder, marks, null, "marked");
        return h("figure", {},
          source.url ? h("a", { href: source.url, target: "_blank", rel: "noopener" }, holder) : holder,
          h("figcaption", {}, source.name, facts.length ? h("small", {}, " " + facts.join(" · ")) : null,
            marks.length ? h("small", { class: "marks" }, h("br"), "marked: " + marks.map(function (m) { return m[4]; }).join(", ")) : null));
      })));
  }

  // Boxes of recognised text that the OCR track left in its rows: {"boxes": {"input": [[x0,y0,x1,y1,text]…], "output": …}}
  function textBoxes(rows, about, source) {
    var found = [];
    rows.forEach(function (row) {
      var given = row[4] && row[4].detail && row[4].detail.boxes, column = about.columns[row[0]];
      if (!given || found.length || isMarked(column, about)) return;
      if (source.key === "input" && given.input) found = given.input;
      if (source.edit && column.editor === source.name && given.output) found = given.output;
    });
    return found;
  }

  function isMarked(column, about) { return Boolean(about.study) && column.metric === about.study.regions_metric; }

  // Regions that annotators marked in an output: [[x0, y0, x1, y1, "label (annotator)"]…]
  function marked(rows, about, source) {
    var found = [];
    rows.forEach(function (row) {
      var given = row[4] && row[4].detail && row[4].detail.boxes, column = about.columns[row[0]];
      if (!given || !given.output || !source.edit || column.editor !== source.name || !isMarked(column, about)) return;
      given.output.forEach(function (box) {
        found.push(box.slice(0, 4).concat(box[4] + " (" + column.source.replace(/^human:/, "") + ")"));
      });
    });
    return found;
  }

  function cell(rows, about) {
    return rows.map(function (row) {
      var extra = row[4] || {}, value = row[1], status = row[2];
      var infinite = status === "scored" && value === null;
      var text = status === "scored" ? (infinite ? "∞" : (Number.isInteger(value) ? String(value) : EG.number(value, 4))) : EG.words(status);
      var more = [];
      if (extra.reason) more.push(h("p", { class: "reason" }, extra.reason));
      ["reason", "rationale"].forEach(function (name) {
        if (extra.detail && extra.detail[name]) more.push(h("p", { class: "reason" }, String(extra.detail[name])));
      });
      var rest = Object.assign({}, extra.detail);
      delete rest.boxes; // drawn on the pictures
      delete rest.rationale; // said above
      delete rest.reason;
      if (Object.keys(rest).length) more.push(h("pre", {}, JSON.stringify(rest, null, 1)));
      if (extra.reply) more.push(h("p", {}, "The judge's whole reply:"), h("pre", {}, extra.reply));
      var shown = h("span", { class: status === "scored" ? "value" : "value off", "data-value": value === null ? "" : String(value) },
        text + (row[3] ? " (repeat " + row[3] + ")" : ""));
      return h("div", {}, shown, more.length ? h("details", {}, h("summary", {}, "why"), more) : null);
    });
  }

  function scores(detail, about) {
    var keys = [], byKey = new Map();
    detail.rows.forEach(function (row) {
      var column = about.columns[row[0]], key = Browse.metricKey(column);
      if (!byKey.has(key)) { byKey.set(key, new Map()); keys.push([key, column]); }
      var line = byKey.get(key);
      if (!line.has(column.editor)) line.set(column.editor, []);
      line.get(column.editor).push(row);
    });
    if (!keys.length) return h("p", {}, "No scores for this sample.");
    var editors = about.editors.filter(function (editor) {
      return keys.some(function (k) { return byKey.get(k[0]).has(editor); });
    });
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scores of this sample" },
      h("table", { id: "scores" }, h("caption", {}, "Scores of this sample"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "score"), editors.map(function (e) { return h("th", { scope: "col" }, e); }))),
        h("tbody", {}, keys.map(function (k) {
          return h("tr", {}, h("th", { scope: "row" }, Browse.metricName(k[1]),
            h("small", {}, { higher: " ↑", lower: " ↓" }[k[1].direction] || "")),
          editors.map(function (e) {
            return h("td", { "data-editor": e, "data-metric": k[0] }, cell(byKey.get(k[0]).get(e) || [], about));
          }));
        }))));
  }

  function texts(detail) {
    var names = [["source_text", "Old text"], ["target_text", "New text"], ["knowledge", "Knowledge"], ["change", "Change"],
      ["caption", "Caption of the reference"], ["concept", "Concept"], ["rephrased", "Rephrased"]];
    var list = names.filter(function (n) { return detail[n[0]]; });
    return [h("p", { class: "instruction", dir: "auto" }, detail.instruction || ""),
      list.length ? h("dl", {}, list.map(function (n) {
        return [h("dt", {}, n[1]), h("dd", { dir: "auto" }, detail[n[0]])];
      })) : null,
      detail.findings && detail.findings.length ? h("details", { class: "findings" },
        h("summary", {}, detail.findings.length + " finding(s) about the released files"),
        h("ul", {}, detail.findings.map(function (f) {
          return h("li", {}, f.file + ": " + f.found + "; " + f.assumed);
        }))) : null];
  }

  function show(main, at, about, id, query, live) {
    return Browse.select(at, about, query).then(function (found) {
      var position = found.index.ids.indexOf(id);
      if (position < 0) throw new Error("There is no sample " + id + " in " + about.name + ".");
      return EG.detail(at, about, position).then(function (detail) { if (live()) draw(found, position, detail); });
    });

    function draw(found, position, detail) {
      var rank = found.order.indexOf(position), count = found.order.length;
      function link(step, text, key) {
        var next = found.order[rank + step];
        if (rank < 0 || next === undefined) return h("span", { class: "off" }, text);
        return h("a", { id: step < 0 ? "previous" : "next", "aria-keyshortcuts": key,
          href: EG.address(["sample", about.name, found.index.ids[next]], query) }, text);
      }
      var mode = MODES.some(function (m) { return m[0] === query.get("view"); }) ? query.get("view") : "side";
      var chosen = pair(detail, query);
      function change(changes) {
        var next = new URLSearchParams(query);
        Object.keys(changes).forEach(function (name) { next.set(name, changes[name]); });
        history.replaceState(null, "", EG.address(["sample", about.name, id], next));
        App.route();
      }
      function chooser(label, name, now) {
        var node = h("select", { id: "pick-" + name, onchange: function () {
          var to = {};
          to[name] = node.value;
          change(to);
        } }, chosen.list.map(function (one) {
          return h("option", { value: one.key, selected: one.key === now.key }, one.name);
        }));
        return h("p", { class: "control" }, h("label", { for: "pick-" + name }, label), node);
      }
      var attributes = about.attributes.length ? facts(found, position) : null;
      EG.fill(main, 
        h("nav", { class: "steps", "aria-label": "Samples" }, link(-1, "← previous", "k"),
          h("span", { id: "position" }, rank < 0 ? "not in this selection" : rank + 1 + " of " + count),
          link(1, "next →", "j"), h("a", { id: "back", href: EG.address(["browse", about.name], query) }, "back to the list")),
        h("h1", {}, about.title + ": " + detail.id),
        texts(detail),
        chosen.a && h("section", { "aria-labelledby": "compare" }, h("h2", { id: "compare" }, "Compare"),
          h("div", { class: "controls" }, chooser("First", "left", chosen.a), chooser("Second", "right", chosen.b),
            h("p", { class: "control", role: "group", "aria-label": "How to compare" }, MODES.map(function (m, number) {
              return h("button", { type: "button", id: "mode-" + m[0], "aria-pressed": m[0] === mode ? "true" : "false",
                "aria-keyshortcuts": String(number + 1), onclick: function () { change({ view: m[0] }); } }, m[1]);
            }))),
          stage(detail, query, mode, chosen)),
        h("section", { "aria-labelledby": "numbers" }, h("h2", { id: "numbers" }, "Scores"), scores(detail, about)),
        gallery(detail, about, detail.rows),
        attributes);
      EG.say(about.title + ", sample " + detail.id + (rank >= 0 ? ", " + (rank + 1) + " of " + count : ""));
    }

    function facts(found, position) {
      var rows = about.attributes.map(function (one, number) {
        var codes = found.index.codes[number];
        if (typeof codes === "string") codes = found.index.codes[number] = new Uint16Array(EG.bytes(codes).buffer);
        return [one.name, one.values[codes[position]]];
      }).filter(function (pairOf) { return pairOf[1]; });
      return h("section", { "aria-labelledby": "facts" }, h("h2", { id: "facts" }, "Attributes"),
        h("dl", { class: "facts" }, rows.map(function (r) {
          return [h("dt", {}, r[0]), h("dd", {}, h("a", {
            href: EG.address(["browse", about.name], new URLSearchParams([["where", r[0] + "=" + r[1]]]))
          }, r[1]))];
        })));
    }
  }

  return { show: show, stop: stop, modes: MODES };
})();
