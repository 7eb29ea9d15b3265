"use strict";
// One sample: what was asked, pictures large and beside each other, every score with its reason. Pictures are compared by CSS alone.
const SampleView = (function () {
  const h = EG.h, MOST = 4, HIGHEST = 62; // pictures beside each other; percent of the window
  const MODES = [["side", "Side by side"], ["slider", "Slider"], ["diff", "Difference"], ["mask", "Mask"]];

  // -- pictures --

  function sources(about, detail) {
    const list = detail.images.map((url, at) => ({ key: at ? "input" + (at + 1) : "input", name: at ? "Input " + (at + 1) : "Input", url,
      slot: at ? null : "input" }));
    if (detail.reference) list.push({ key: "reference", name: "Reference", url: detail.reference, slot: "reference" });
    return list.concat(Object.keys(detail.edits).sort().map((editor) => ({ key: "edit:" + editor, name: editor,
      url: detail.edits[editor].url, edit: detail.edits[editor], slot: about.editors.indexOf(editor) })));
  }

  // A report that was taken out of its run has no pictures but its thumbnails: say so, and show those.
  function lost(made, source, image) {
    App.notice("Pictures are missing. " + (EG.meta.copied ? "Was the whole report folder copied?" :
      "This report was moved out of its run: open it where the run is, or build it with --copy-images to send it alone."));
    const small = source.slot === null ? null : Scores.thumb(made.about, made.index, source.slot, made.position, source.name);
    image.replaceWith(h("p", { class: "none" }, source.name + " – the picture is not here" + (small ? "; its thumbnail:" : "."), small));
  }

  const became = (edit) => EG.words(edit.status) + (edit.reason ? ": " + edit.reason : "");

  function picture(made, source, extra) {
    if (!source.url) return h("p", { class: "none" }, source.name + " – no picture (" + (source.edit ? became(source.edit) : "not in this run")
      + ")");
    return h("img", Object.assign({ src: source.url, alt: source.name, decoding: "async", class: "full", draggable: "false",
      onerror: (event) => lost(made, source, event.target) }, extra));
  }

  // The pictures that are compared: what the address says; else the reference, or the input, and the model that one came from.
  function compared(about, detail, query) {
    const list = sources(about, detail), find = (key) => list.find((one) => one.key === key);
    let shown = query.getAll("p").map(find).filter(Boolean).slice(0, MOST);
    if (shown.length < 2) {
      const leader = find("edit:" + (query.get("e") || Select.leader(about, about.editors, Scores.defaults(about, 1)[0] || "")));
      const edit = shown[0] || (leader && leader.url ? leader : list.find((one) => one.edit && one.url)) || list[list.length - 1];
      shown = [(query.get("view") !== "diff" && find("reference")) || find("input") || list[0], edit].filter(Boolean);
    }
    return { list, shown, reference: find("reference") };
  }

  // As wide as there is room, and no higher than most of the window: a smaller file is enlarged to the size of its neighbours.
  function pane(made, chosen, inside, peek) {
    const inner = h("div", { class: "inner" }, inside), node = Zoom.pane(h("div", {}, inner));
    if (peek && chosen.reference) {
      inner.append(h("img", { class: "full over peek", src: chosen.reference.url, alt: "Reference", hidden: true, draggable: "false" }));
    }
    const image = inside instanceof HTMLImageElement && inside;
    const fit = () => {
      if (!image.naturalHeight) return;
      node.style.width = "min(100%, " + (HIGHEST * image.naturalWidth / image.naturalHeight).toFixed(2) + "vh)";
      node.classList.add("fitted");
    };
    if (image) { if (image.complete) fit(); else image.addEventListener("load", fit); }
    return node;
  }

  function stage(made, detail, mode, chosen, query) {
    const a = chosen.shown[0], b = chosen.shown[chosen.shown.length - 1];
    if (mode === "side" || !a.url || !b.url) {
      return h("div", { class: "stage side panes-" + chosen.shown.length }, chosen.shown.map((source) => h("figure", { "data-source": source.key },
        pane(made, chosen, picture(made, source), source === b), h("figcaption", {}, source.name))));
    }
    const masks = Object.keys(detail.masks).filter((name) => detail.masks[name]), region = masks.join(", ");
    const over = picture(made, b, { class: "full over" }), box = h("div", { class: "stack " + mode }, picture(made, a), over);
    const lay = (style) => masks.forEach((name) => box.append(h("img", { src: detail.masks[name], alt: "", class: "full over " + style })));
    let below;
    if (mode === "slider") {
      const cut = (at) => { over.style.clipPath = "inset(0 0 0 " + at + "%)"; };
      cut(50);
      below = [h("label", { for: "slide" }, "Left of the line: " + a.name + ", right of it: " + b.name),
        h("input", { type: "range", id: "slide", min: 0, max: 100, step: 0.5, value: 50, oninput: (event) => cut(event.target.value) })];
    } else if (mode === "diff") {
      const outside = query.get("outside") === "1" && masks.length > 0;
      if (outside) lay("shut");
      below = [h("p", {}, "Bright where " + a.name + " and " + b.name
        + " differ, black where they are the same to the bit. A picture of another size is stretched over the first."),
        masks.length ? h("p", {}, h("label", {}, h("input", { type: "checkbox", id: "outside", checked: outside,
          onchange: (event) => made.change({ outside: event.target.checked ? "1" : [] }) }), " Only outside the region that may change ("
            + region + ")")) : null];
    } else {
      box.replaceChildren(picture(made, b));
      lay("tint");
      below = h("p", {}, masks.length ? "Tinted: what may change (" + region + "), over " + b.name + "." : "This sample has no mask.");
    }
    return h("div", { class: "stage" }, below, pane(made, chosen, box, true));
  }

  function gallery(made, detail) {
    return h("section", { "aria-labelledby": "all" }, h("h2", { id: "all" }, "All pictures"),
      h("div", { class: "gallery" }, sources(made.about, detail).map((source) => {
        const e = source.edit || {}, image = picture(made, source, { loading: "lazy" }), holder = h("div", { class: "holder" }, image);
        const facts = [e.width && e.width + " × " + e.height, e.seconds !== undefined && EG.number(e.seconds, 2) + " s",
          e.given_back === true && "the input given back",
          e.cost !== undefined && "$" + EG.number(e.cost, 4), e.seed !== undefined && "seed " + e.seed,
            source.edit && e.status !== "scored" && became(e)].filter(Boolean);
        boxes(made, detail, source, image, holder);
        return h("figure", {}, source.url ? h("a", { href: source.url, target: "_blank", rel: "noopener" }, holder) : holder,
          h("figcaption", {}, source.name, facts.length ? h("small", {}, " " + facts.join(" · ")) : null));
      })));
  }

  // Recognised text that the OCR track left in its rows: {"boxes": {"input": [[x0,y0,x1,y1,text]…], "output": …}}, read at the size of
  // the first input, whatever the output's.
  function boxes(made, detail, source, image, holder) {
    const list = detail.rows.map((row) => {
      const given = row[4] && row[4].detail && row[4].detail.boxes;
      return given && (source.key === "input" ? given.input : source.edit && made.about.columns[row[0]].editor === source.name && given.output);
    }).find((one) => one && one.length);
    if (!list || !source.url) return;
    const draw = () => {
      const size = detail.size || [image.naturalWidth, image.naturalHeight];
      holder.append(EG.svg("svg", { viewBox: "0 0 " + size.join(" "), class: "boxes", preserveAspectRatio: "none", "aria-hidden": "true" },
        list.map((box) =>
        EG.svg("rect", { x: box[0], y: box[1], width: Math.max(0, box[2] - box[0]), height: Math.max(0, box[3] - box[1]) },
          EG.svg("title", {}, String(box[4] || ""))))));
    };
    if (image.complete && image.naturalWidth) draw(); else image.addEventListener("load", draw);
  }

  // -- numbers --

  // key -> editor -> rows, of the report's variant or of the only one there is.
  function grouped(about, detail) {
    const found = new Map(Scores.keys(about).map((key) => [key, new Map()]));
    detail.rows.forEach((row) => {
      const column = about.columns[row[0]], key = Scores.keyOf(column), line = found.get(key);
      if (row[0] === Scores.column(about, column.editor, key)) line.set(column.editor, (line.get(column.editor) || []).concat([row]));
    });
    return Array.from(found).filter((entry) => entry[1].size);
  }

  function reasons(extra) {
    const detail = extra.detail || {};
    return Array.from(new Set([extra.reason, detail.reason, detail.rationale].filter(Boolean).map(String)));
  }

  function cell(rows, about, key) {
    return rows.map(([, value, status, repeat, extra = {}]) => {
      const scored = status === "scored", { boxes, rationale, reason, ...rest } = extra.detail || {}; // drawn on the pictures, or said below
      const said = scored && Scores.split(key).source ? [] : reasons(extra);
      if (extra.stored !== undefined) said.push("as it was given: " + extra.stored);
      if (value !== null) said.push("exactly: " + value);
      return h("details", { class: "cell" }, h("summary", { class: scored ? "value" : "value off", "data-value": value === null ? "" : value },
        (scored ? Scores.text(about, key, value === null ? Infinity : value) : EG.words(status)) + (repeat ? " (repeat " + repeat + ")" : "")),
      said.map((one) => h("p", { class: "reason" }, one)), Object.keys(rest).length ? h("pre", {}, JSON.stringify(rest, null, 1)) : null);
    });
  }

  // A score that no model can have is said in a line below, with its reason.
  function scores(about, groups) {
    const asked = groups.filter(([, line]) => Array.from(line.values()).flat().some((row) => row[2] !== "not_applicable"));
    const editors = about.editors.filter((editor) => asked.some(([, line]) => line.has(editor))), unasked = new Map();
    groups.filter((entry) => !asked.includes(entry)).forEach(([key, line]) => {
      const why = reasons(Array.from(line.values())[0][0][4] || {})[0] || "";
      unasked.set(why, (unasked.get(why) || []).concat(Scores.facts(about, key).title));
    });
    const table = h("table", { id: "scores" }, h("caption", {}, "Scores of this sample (" + EG.variant + "); a number opens its reason"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "score"), editors.map((e) => h("th", { scope: "col" }, e)))),
      h("tbody", {}, asked.map(([key, line]) => {
        const one = Array.from(line.values())[0][0], variant = about.columns[one[0]].variant;
        const ranks = Scores.levels(editors.map((e) => {
          const rows = line.get(e) || [];
          return rows.length === 1 && rows[0][2] === "scored" ? rows[0][1] ?? Infinity : null;
        }), Scores.facts(about, key).direction);
        return h("tr", {}, h("th", { scope: "row" }, Scores.tip(about, key), variant !== EG.variant && EG.meta.variants.length > 1
          ? h("small", {}, " " + variant + " only") : null),
          editors.map((e, at) => h("td", { class: ranks[at].level, "data-editor": e, "data-metric": key }, cell(line.get(e) || [], about, key))));
      })));
    return [groups.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scores of this sample" }, table)
      : h("p", {}, "No scores for this sample."),
      Array.from(unasked, ([why, names]) => h("p", { class: "unasked" }, "Not applicable to this sample: " + names.join(", ")
        + (why ? " (" + why + ")" : "")))];
  }

  // What the judges wrote, as text: one block a model and judge, those of the pictures above first.
  function judged(about, groups, chosen) {
    const blocks = new Map();
    groups.forEach(([key, line]) => line.forEach((rows, editor) => rows.forEach(([, value, status, , extra = {}]) => {
      const source = Scores.split(key).source, said = reasons(extra), name = editor + "\0" + source;
      if (!source || status === "not_applicable" || (!said.length && !extra.reply)) return;
      if (!blocks.has(name)) blocks.set(name, { editor, source, said: [], replies: new Set() });
      blocks.get(name).said.push([Scores.facts(about, key).title + " "
        + (status === "scored" ? Scores.text(about, key, value) : EG.words(status)), said]);
      if (extra.reply) blocks.get(name).replies.add(extra.reply);
    })));
    if (!blocks.size) return null;
    const here = (block) => chosen.shown.some((source) => source.name === block.editor), all = Array.from(blocks.values());
    const first = all.filter(here), rest = first.length ? all.filter((block) => !here(block)) : [];
    const cards = (list) => h("div", { class: "verdicts" }, list.map((block) => h("article", { class: "verdict" },
      h("h3", {}, block.editor, h("small", {}, " · " + Scores.short(about, block.source))),
      h("dl", {}, block.said.map(([title, said]) => [h("dt", {}, title),
        h("dd", { dir: "auto", class: "reason" }, said.join("\n") || "no reason given")])),
      block.replies.size ? h("details", {}, h("summary", {}, "the whole reply"),
        Array.from(block.replies, (reply) => h("pre", { dir: "auto" }, reply))) : null)));
    return h("section", { "aria-labelledby": "words" }, h("h2", { id: "words" }, "What the judges wrote"), cards(first.length ? first : all),
      rest.length ? h("details", {}, h("summary", {}, "of the other models (" + rest.length + ")"), cards(rest)) : null);
  }

  const TEXTS = { source_text: "Old text", target_text: "New text", knowledge: "Knowledge", change: "Change", caption: "Caption of the reference",
    concept: "Concept", rephrased: "Rephrased" };

  function texts(detail) {
    const list = Object.keys(TEXTS).filter((name) => detail[name]);
    return [h("p", { class: "instruction", dir: "auto" }, detail.instruction || ""),
      list.length ? h("dl", {}, list.map((name) => [h("dt", {}, TEXTS[name]), h("dd", { dir: "auto" }, detail[name])])) : null,
      detail.findings.length ? h("details", {}, h("summary", {}, EG.plural(detail.findings.length, "finding") + " about the released files"),
        h("ul", {}, detail.findings.map((f) => h("li", {}, f.file + ": " + f.found + "; " + f.assumed)))) : null];
  }

  // -- the view --

  function tools(made, chosen, mode) {
    const group = (label, ...inside) => h("p", { class: "control", role: "group", "aria-label": label }, inside);
    const button = (id, label, name, key, act) => h("button",
      { type: "button", id, "aria-label": name, "aria-keyshortcuts": key, title: name + " (" + key + ")", onclick: act }, label);
    const keys = chosen.shown.map((one) => one.key);
    return h("div", { class: "controls" },
      group("Pictures beside each other", chosen.list.map((one) => h("button",
        { type: "button", "data-source": one.key, "aria-pressed": String(keys.includes(one.key)),
        onclick: () => made.change({ p: keys.includes(one.key) ? keys.filter((key) => key !== one.key) : keys.concat(one.key).slice(-MOST) }) },
          one.name))),
      group("How to compare", MODES.map(([name, words], at) => h("button",
        { type: "button", id: "mode-" + name, "aria-pressed": String(name === mode),
        "aria-keyshortcuts": at + 1, onclick: () => made.change({ view: name }) }, words))),
      group("Zoom", button("zoom-out", "−", "smaller", "-", () => Zoom.by(1 / 1.5)), h("span", { id: "zoom-now", class: "zoom-now" }, "100 %"),
        button("zoom-in", "+", "larger", "+", () => Zoom.by(1.5)), button("zoom-fit", "Fit", "whole picture", "0", Zoom.reset),
        chosen.reference ? button("peek", "Peek", "show the reference in place of the last picture", "r", peek) : null));
  }

  function peek() {
    const image = document.querySelector(".stage .peek");
    if (image) image.hidden = !image.hidden;
  }

  async function show(main, about, id, query, live) {
    const found = await Select.select(about, query), position = found.index.ids.indexOf(id);
    if (position < 0) throw new Error("There is no sample " + id + " in " + about.name + ".");
    const detail = await EG.detail(about, position);
    if (!live()) return;
    Zoom.clear();
    const rank = found.order.indexOf(position);
    const link = (name, step, text, key) => {
      const next = found.order[rank + step];
      if (rank < 0 || next === undefined) return h("span", { class: "off" }, text);
      return h("a", { id: name, "aria-keyshortcuts": key, href: EG.address(["sample", about.name, found.index.ids[next]], query) }, text);
    };
    const mode = MODES.some(([name]) => name === query.get("view")) ? query.get("view") : "side", chosen = compared(about, detail, query);
    const made = { about, index: found.index, position, change: (changes) => {
      const next = new URLSearchParams(query);
      Object.entries(changes).forEach(([name, value]) => { next.delete(name); [].concat(value).forEach((one) => next.append(name, one)); });
      history.replaceState(history.state, "", EG.address(["sample", about.name, id], next));
      App.route();
    } };
    const groups = grouped(about, detail), list = new URLSearchParams(query);
    ["p", "view", "outside"].forEach((name) => list.delete(name));
    const facts = about.attributes.map((one) => [one.name, one.values[Select.codesOf(found.index, about, one.name).codes[position]]])
      .filter((one) => one[1]);
    EG.fill(main, h("nav", { class: "steps", "aria-label": "Samples" }, link("previous", -1, "← previous", "k"),
      h("span", { id: "position" }, rank < 0 ? "not in this selection" : rank + 1 + " of " + found.order.length), link("next", 1, "next →", "j"),
      h("a", { id: "back", href: EG.address(["browse", about.name], list) }, "back to the list")),
    h("h1", {}, about.title + ": " + detail.id), texts(detail),
    chosen.list.length ? h("section", { "aria-label": "Compare" }, tools(made, chosen, mode), stage(made, detail, mode, chosen, query))
      : h("p", { class: "none" }, "The run has no picture of this sample."),
    h("section", { "aria-labelledby": "numbers" }, h("h2", { id: "numbers" }, "Scores"), scores(about, groups)), judged(about, groups, chosen),
      gallery(made, detail),
    facts.length ? h("section", { "aria-labelledby": "facts" }, h("h2", { id: "facts" }, "Attributes"),
      h("dl", {}, facts.map(([name, value]) => [h("dt", {}, name),
      h("dd", {}, h("a", { href: EG.address(["browse", about.name], new URLSearchParams({ where: name + "=" + value })) }, value))]))) : null);
    Zoom.apply();
    EG.say(about.title + ", sample " + detail.id + (rank >= 0 ? ", " + (rank + 1) + " of " + found.order.length : ""));
  }

  return { show, modes: MODES };
})();
