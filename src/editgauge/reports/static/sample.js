"use strict";
// One sample: what was asked, two to four pictures large, every score with its reason. Pictures are compared by CSS alone.
var SampleView = (function () {
  var h = EG.h;
  var MODES = [["side", "Side by side"], ["slider", "Slider"], ["flicker", "Flicker"], ["diff", "Difference"], ["mask", "Mask"]];
  var PANES = ["left", "right", "third", "fourth"];
  var timer = 0;

  function stop() { clearInterval(timer); timer = 0; Zoom.clear(); }

  // -- pictures --

  function sources(about, detail) {
    var list = [];
    (detail.images || []).forEach(function (url, at) {
      list.push({ key: at ? "input" + (at + 1) : "input", name: at ? "Input " + (at + 1) : "Input", url: url, slot: at ? null : "input" });
    });
    if (detail.reference) list.push({ key: "reference", name: "Reference", url: detail.reference, slot: "reference" });
    Object.keys(detail.edits).sort().forEach(function (editor) {
      list.push({ key: "edit:" + editor, name: editor, url: detail.edits[editor].url || null, edit: detail.edits[editor],
        slot: about.editors.indexOf(editor) });
    });
    return list;
  }

  // A report that was taken out of its run has no pictures but its thumbnails: say so, and show those.
  function lost(made, source, image) {
    App.notice("Pictures are missing. " + (EG.meta.copied ? "Was the whole report folder copied?" :
      "This report was moved out of its run: open it where the run is, or build it with --copy-images to send it alone."));
    var small = source.slot === null ? null : Scores.thumb(made.at, made.index, source.slot, made.position, source.name);
    var words = h("p", { class: "none" }, source.name + " – the picture is not here" + (small ? "; its thumbnail:" : "."), small);
    image.replaceWith(words);
  }

  function picture(made, source, extra) {
    if (!source.url) {
      var why = source.edit ? EG.words(source.edit.status) + (source.edit.reason ? ": " + source.edit.reason : "") : "not in this run";
      return h("p", { class: "none" }, source.name + " – no picture (" + why + ")");
    }
    return h("img", Object.assign({ src: source.url, alt: source.name, decoding: "async", class: "full", draggable: "false",
      onerror: function (event) { lost(made, source, event.target); } }, extra || {}));
  }

  // The pictures that are compared: what the address says; else the reference, or the input, against the model that one came from.
  function panes(about, detail, query, mode) {
    var list = sources(about, detail), wanted = (query.get("editors") || "").split(",").filter(Boolean);
    function find(key) { return list.find(function (one) { return one.key === key; }); }
    var a = find(query.get("left")), b = find(query.get("right"));
    if (!b) b = find("edit:" + (wanted.length > 1 ? wanted[1] : wanted[0] || query.get("e") || ""));
    if (!b) {
      var first = find("edit:" + Select.leader(about, about.editors, Scores.defaults(about, 1)[0] || ""));
      b = first && first.url ? first : list.find(function (one) { return one.edit && one.url; }) || list[list.length - 1];
    }
    if (!a && wanted.length > 1) a = find("edit:" + wanted[0]);
    if (!a) a = (mode === "diff" ? find("input") : find("reference")) || find("input") || list[0];
    var more = ["third", "fourth"].map(function (name) { return find(query.get(name)); }).filter(Boolean);
    return { list: list, shown: [a, b].concat(more), a: a, b: b, reference: find("reference") };
  }

  function pane(made, chosen, inside, last) {
    var inner = h("div", { class: "inner" }, inside);
    if (last && chosen.reference) {
      inner.append(h("img", { class: "full over peek", src: chosen.reference.url, alt: "Reference", hidden: true, draggable: "false" }));
    }
    return Zoom.pane(h("div", {}, inner));
  }

  // As wide as there is room, and no higher than most of the window: a smaller file is enlarged to the size of its neighbours.
  // Not where pictures lie on each other: a difference is shown pixel by pixel.
  var HIGHEST = 62; // percent of the window
  function fitted(node) {
    var image = node.querySelector("img.full:not(.over)");
    function fit() {
      if (!image.naturalHeight) return;
      node.style.width = "min(100%, " + (HIGHEST * image.naturalWidth / image.naturalHeight).toFixed(2) + "vh)";
      node.classList.add("fitted");
    }
    if (image) { if (image.complete) fit(); else image.addEventListener("load", fit); }
    return node;
  }

  function stage(made, detail, mode, chosen, query) {
    var a = chosen.a, b = chosen.b;
    if (mode === "side" || !a.url || !b.url) {
      return h("div", { class: "stage side panes-" + chosen.shown.length }, chosen.shown.map(function (source, number) {
        var figure = h("figure", { "data-source": source.key }, fitted(pane(made, chosen, picture(made, source), number === chosen.shown.length - 1)),
          h("figcaption", {}, source.name));
        return figure;
      }));
    }
    var under = picture(made, a), over = picture(made, b, { class: "full over" });
    var box = h("div", { class: "stack " + mode }, under, over), below = [];
    var masks = Object.keys(detail.masks || {}).filter(function (name) { return detail.masks[name]; });
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
        if (timer) { clearInterval(timer); timer = 0; } else timer = setInterval(swap, 500);
        button.textContent = timer ? "Stop" : "Start";
      } }, "Start");
      below.push(h("p", {}, button, " ", h("button", { type: "button", id: "swap", onclick: swap }, "Swap once"), " shown: ", now));
    }
    if (mode === "diff") {
      var outside = query.get("outside") === "1" && masks.length > 0;
      if (outside) masks.forEach(function (name) {
        box.append(h("img", { src: detail.masks[name], alt: "", class: "full over shut" }));
      });
      below.push(h("p", {}, "Bright where " + a.name + " and " + b.name + " differ, black where they are the same to the bit. " +
        "A picture of another size is stretched over the first."),
      masks.length ? h("p", {}, h("label", {}, h("input", { type: "checkbox", id: "outside", checked: outside, onchange: function (event) {
        made.change({ outside: event.target.checked ? "1" : "" });
      } }), " Only outside the region that may change (" + masks.join(", ") + ")")) : null);
    }
    if (mode === "mask") {
      box.replaceChildren(picture(made, b));
      masks.forEach(function (name) {
        box.append(h("img", { src: detail.masks[name], alt: "mask " + name, class: "full over tint" }));
      });
      below.push(h("p", {}, masks.length ? "Tinted: what may change (" + masks.join(", ") + "), over " + b.name + "." : "This sample has no mask."));
    }
    return h("div", { class: "stage" }, below, pane(made, chosen, box, true));
  }

  // `size`: the width and height in whose pixels the boxes are; without it, those of the picture itself.
  function boxes(holder, list, size, kind) {
    var image = holder.querySelector("img");
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
      if (image.parentNode) image.parentNode.append(svg);
    }
    if (image.complete && image.naturalWidth) draw(); else image.addEventListener("load", draw);
  }

  function gallery(made, detail) {
    var about = made.about, rows = detail.rows;
    return h("section", { "aria-labelledby": "all" }, h("h2", { id: "all" }, "All pictures"),
      h("div", { class: "gallery" }, sources(about, detail).map(function (source) {
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
        var holder = h("div", { class: "holder" }, picture(made, source, { loading: "lazy" }));
        // text was read at the size of the first input, whatever the output's
        boxes(holder, textBoxes(rows, about, source), detail.size, "text");
        return h("figure", {},
          source.url ? h("a", { href: source.url, target: "_blank", rel: "noopener" }, holder) : holder,
          h("figcaption", {}, source.name, facts.length ? h("small", {}, " " + facts.join(" · ")) : null));
      })));
  }

  // Boxes of recognised text that the OCR track left in its rows: {"boxes": {"input": [[x0,y0,x1,y1,text]…], "output": …}}
  function textBoxes(rows, about, source) {
    var found = [];
    rows.forEach(function (row) {
      var given = row[4] && row[4].detail && row[4].detail.boxes, column = about.columns[row[0]];
      if (!given || found.length) return;
      if (source.key === "input" && given.input) found = given.input;
      if (source.edit && column.editor === source.name && given.output) found = given.output;
    });
    return found;
  }

  // -- numbers --

  // key -> editor -> rows, of the report's variant or of the only one there is.
  function grouped(about, detail) {
    var byKey = new Map();
    detail.rows.forEach(function (row) {
      var column = about.columns[row[0]], key = Scores.keyOf(column);
      if (row[0] !== Scores.column(about, column.editor, key)) return;
      if (!byKey.has(key)) byKey.set(key, new Map());
      var line = byKey.get(key);
      if (!line.has(column.editor)) line.set(column.editor, []);
      line.get(column.editor).push(row);
    });
    return new Map(Scores.keys(about).filter(function (key) { return byKey.has(key); }).map(function (key) { return [key, byKey.get(key)]; }));
  }

  function words(extra) {
    var found = [];
    if (extra.reason) found.push(extra.reason);
    ["reason", "rationale"].forEach(function (name) {
      if (extra.detail && extra.detail[name] && found.indexOf(extra.detail[name]) < 0) found.push(String(extra.detail[name]));
    });
    return found;
  }

  function cell(rows, about, key) {
    return rows.map(function (row) {
      var extra = row[4] || {}, value = row[1], status = row[2];
      var text = status === "scored" ? Scores.text(about, key, value === null ? Infinity : value) : EG.words(status);
      var rest = Object.assign({}, extra.detail), more = [];
      ["boxes", "rationale", "reason"].forEach(function (name) { delete rest[name]; }); // drawn on the pictures, or said below
      if (status !== "scored" || !Scores.split(key).source) words(extra).forEach(function (one) { more.push(h("p", { class: "reason" }, one)); });
      if (extra.stored !== undefined) more.push(h("p", { class: "reason" }, "as it was given: " + extra.stored));
      if (value !== null) more.push(h("p", { class: "reason" }, "exactly: " + value));
      if (Object.keys(rest).length) more.push(h("pre", {}, JSON.stringify(rest, null, 1)));
      return h("details", { class: "cell" }, h("summary", { class: status === "scored" ? "value" : "value off",
        "data-value": value === null ? "" : String(value) }, text + (row[3] ? " (repeat " + row[3] + ")" : "")), more);
    });
  }

  function scores(about, groups) {
    if (!groups.size) return h("p", {}, "No scores for this sample.");
    var editors = about.editors.filter(function (editor) {
      return Array.from(groups.values()).some(function (line) { return line.has(editor); });
    });
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scores of this sample" },
      h("table", { id: "scores" }, h("caption", {}, "Scores of this sample (" + EG.variant + "); the name of a score tells what it is, a number opens its reason"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "score"), editors.map(function (e) { return h("th", { scope: "col" }, e); }))),
        h("tbody", {}, Array.from(groups.entries()).filter(asked).map(function (entry) {
          var key = entry[0], line = entry[1];
          var column = about.columns[Array.from(line.values())[0][0][0]];
          var ranks = Scores.levels(editors.map(function (e) {
            var rows = line.get(e) || [];
            return rows.length === 1 && rows[0][2] === "scored" ? (rows[0][1] === null ? Infinity : rows[0][1]) : null;
          }), Scores.facts(about, key).direction);
          return h("tr", {}, h("th", { scope: "row" }, Scores.tip(about, key),
            column.variant !== EG.variant && EG.meta.variants.length > 1 ? h("small", {}, " " + column.variant + " only") : null),
          editors.map(function (e, number) {
            return h("td", { class: ranks[number].level, "data-editor": e, "data-metric": key }, cell(line.get(e) || [], about, key));
          }));
        }))), unasked(about, groups));
  }

  // Whether a score is there of any model, or failed: what no model could have is said in a line below.
  function asked(entry) {
    return Array.from(entry[1].values()).some(function (rows) { return rows.some(function (row) { return row[2] !== "not_applicable"; }); });
  }

  function unasked(about, groups) {
    var reasons = new Map();
    Array.from(groups.entries()).forEach(function (entry) {
      if (asked(entry)) return;
      var row = Array.from(entry[1].values())[0][0], why = words(row[4] || {})[0] || "";
      reasons.set(why, (reasons.get(why) || []).concat(Scores.facts(about, entry[0]).title));
    });
    return Array.from(reasons.entries()).map(function (one) {
      return h("p", { class: "unasked" }, "Not applicable to this sample: " + one[1].join(", ") + (one[0] ? " (" + one[0] + ")" : ""));
    });
  }

  // What the judges wrote, as text: one block a model and judge.
  function judged(about, groups, chosen) {
    var blocks = new Map();
    groups.forEach(function (line, key) {
      var source = Scores.split(key).source;
      if (!source) return;
      line.forEach(function (rows, editor) {
        rows.forEach(function (row) {
          if (row[2] === "not_applicable") return; // nobody looked: the scores say why
          var said = words(row[4] || {}), reply = row[4] && row[4].reply;
          if (!said.length && !reply) return;
          var name = editor + "\u0000" + source;
          if (!blocks.has(name)) blocks.set(name, { editor: editor, source: source, said: [], replies: [] });
          var block = blocks.get(name), text = row[2] === "scored" ? Scores.text(about, key, row[1]) : EG.words(row[2]);
          block.said.push([Scores.facts(about, key).title + " " + text, said]);
          if (reply && block.replies.indexOf(reply) < 0) block.replies.push(reply);
        });
      });
    });
    if (!blocks.size) return null;
    var all = Array.from(blocks.values()), here = chosen.shown.map(function (source) { return source.name; });
    var first = all.filter(function (block) { return here.indexOf(block.editor) >= 0; }), rest = all.filter(function (block) {
      return here.indexOf(block.editor) < 0;
    });
    function cards(list) {
      return h("div", { class: "verdicts" }, list.map(function (block) {
        return h("article", { class: "verdict" }, h("h3", {}, block.editor, h("small", {}, " · " + Scores.short(about, block.source))),
          h("dl", {}, block.said.map(function (one) {
            return [h("dt", {}, one[0]), h("dd", { dir: "auto", class: "reason" }, one[1].length ? one[1].join("\n") : "no reason given")];
          })),
          block.replies.length ? h("details", {}, h("summary", {}, "the whole reply"), block.replies.map(function (reply) {
            return h("pre", { dir: "auto" }, reply);
          })) : null);
      }));
    }
    return h("section", { "aria-labelledby": "words" }, h("h2", { id: "words" }, "What the judges wrote"),
      cards(first.length ? first : all), first.length && rest.length ? h("details", { class: "others" },
        h("summary", {}, "of the other models (" + rest.length + ")"), cards(rest)) : null);
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
        h("summary", {}, detail.findings.length + (detail.findings.length === 1 ? " finding" : " findings") + " about the released files"),
        h("ul", {}, detail.findings.map(function (f) {
          return h("li", {}, f.file + ": " + f.found + "; " + f.assumed);
        }))) : null];
  }

  // -- the view --

  function tools(made, chosen, mode) {
    function chooser(label, name, now, none) {
      var node = h("select", { id: "pick-" + name, onchange: function () {
        var to = {};
        to[name] = node.value;
        made.change(to);
      } }, none ? h("option", { value: "" }, "none") : null, chosen.list.map(function (one) {
        return h("option", { value: one.key, selected: Boolean(now) && one.key === now.key }, one.name);
      }));
      return h("p", { class: "control" }, h("label", { for: "pick-" + name }, label), node);
    }
    function button(id, label, name, key, act) {
      return h("button", { type: "button", id: id, "aria-label": name, "aria-keyshortcuts": key, title: name + " (" + key + ")", onclick: act }, label);
    }
    return [h("div", { class: "controls" }, chooser("First", "left", chosen.a), chooser("Second", "right", chosen.b),
      mode === "side" ? [chooser("Third", "third", chosen.shown[2], true), chosen.shown[2] ? chooser("Fourth", "fourth", chosen.shown[3], true) : null] : null,
      h("p", { class: "control", role: "group", "aria-label": "How to compare" }, MODES.map(function (m, number) {
        return h("button", { type: "button", id: "mode-" + m[0], "aria-pressed": m[0] === mode ? "true" : "false",
          "aria-keyshortcuts": String(number + 1), onclick: function () { made.change({ view: m[0] }); } }, m[1]);
      })),
      h("p", { class: "control", role: "group", "aria-label": "Zoom" },
        button("zoom-out", "−", "smaller", "-", function () { Zoom.by(1 / 1.5); }), h("span", { id: "zoom-now", class: "zoom-now" }, "100 %"),
        button("zoom-in", "+", "larger", "+", function () { Zoom.by(1.5); }), button("zoom-fit", "Fit", "whole picture", "0", Zoom.reset),
        chosen.reference ? button("peek", "Reference", "show the reference in place of the last picture", "r", peek) : null))];
  }

  function peek() {
    var image = document.querySelector(".stage .peek"), button = document.getElementById("peek");
    if (!image) return;
    image.hidden = !image.hidden;
    button.setAttribute("aria-pressed", String(!image.hidden));
  }

  function show(main, at, about, id, query, live) {
    return Select.select(at, about, query).then(function (found) {
      var position = found.index.ids.indexOf(id);
      if (position < 0) throw new Error("There is no sample " + id + " in " + about.name + ".");
      return EG.detail(at, about, position).then(function (detail) { if (live()) draw(found, position, detail); });
    });

    function draw(found, position, detail) {
      stop();
      var rank = found.order.indexOf(position), count = found.order.length;
      function link(step, text, key) {
        var next = found.order[rank + step];
        if (rank < 0 || next === undefined) return h("span", { class: "off" }, text);
        return h("a", { id: step < 0 ? "previous" : "next", "aria-keyshortcuts": key,
          href: EG.address(["sample", about.name, found.index.ids[next]], query) }, text);
      }
      var mode = MODES.some(function (m) { return m[0] === query.get("view"); }) ? query.get("view") : "side";
      var chosen = panes(about, detail, query, mode);
      var made = { at: at, about: about, id: id, index: found.index, position: position, change: function (changes) {
        var next = new URLSearchParams(query);
        Object.keys(changes).forEach(function (name) { if (changes[name]) next.set(name, changes[name]); else next.delete(name); });
        history.replaceState(history.state, "", EG.address(["sample", about.name, id], next));
        App.route();
      } };
      var groups = grouped(about, detail);
      var list = new URLSearchParams(query);
      PANES.concat(["view", "outside", "editors"]).forEach(function (name) { list.delete(name); });
      EG.fill(main,
        h("nav", { class: "steps", "aria-label": "Samples" }, link(-1, "← previous", "k"),
          h("span", { id: "position" }, rank < 0 ? "not in this selection" : rank + 1 + " of " + count),
          link(1, "next →", "j"), h("a", { id: "back", href: EG.address(["browse", about.name], list) }, "back to the list")),
        h("h1", {}, about.title + ": " + detail.id),
        texts(detail),
        chosen.a && h("section", { "aria-labelledby": "compare" }, h("h2", { id: "compare", class: "hidden" }, "Compare"),
          tools(made, chosen, mode), stage(made, detail, mode, chosen, query)),
        h("section", { "aria-labelledby": "numbers" }, h("h2", { id: "numbers" }, "Scores"), scores(about, groups)),
        judged(about, groups, chosen),
        gallery(made, detail),
        about.attributes.length ? facts(found, position) : null);
      Zoom.apply();
      EG.say(about.title + ", sample " + detail.id + (rank >= 0 ? ", " + (rank + 1) + " of " + count : ""));
    }

    function facts(found, position) {
      var rows = about.attributes.map(function (one) {
        return [one.name, one.values[Select.codesOf(found.index, about, one.name).codes[position]]];
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
