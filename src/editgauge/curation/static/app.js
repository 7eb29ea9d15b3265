// The workbench: one sample at a time; every change names the version that was seen.
"use strict";
(function () {
  const $ = (id) => document.getElementById(id);
  const TEXTS = ["instruction", "source_text", "target_text", "caption", "knowledge", "change", "concept", "rephrased"];
  const FACTS = ["split", "category", "operation", "topic", "organ", "task", "kris_task", "textedit_category", "url", "licence", "consent"];
  const SOURCE = ["url", "licence", "consent"];
  let set = null, shown = null, late = null, boxes = [], timer = 0, maskName = "";
  const drafts = Object.create(null), sketches = Object.create(null); // what was written and drawn and is not saved, by sample

  function make(tag, text, facts) {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = text;
    Object.assign(made, facts || {});
    return made;
  }

  function say(text) {
    $("message").textContent = text || "";
    $("message").hidden = !text;
  }

  function nonce() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  }

  async function get(path) {
    const answer = await fetch(path, { credentials: "same-origin", cache: "no-store" });
    const told = await answer.json();
    if (answer.status !== 200) { say(told.error); return null; }
    return told;
  }

  // A change is sent until the server has it on its disk: the nonce makes a second one harmless.
  async function post(name, body) {
    const whole = JSON.stringify(Object.assign({ sample: shown.record.id, version: shown.record.version, nonce: nonce() }, body));
    for (let tries = 0; ; tries++) {
      try {
        const answer = await fetch("/api/" + name, {
          method: "POST", credentials: "same-origin", cache: "no-store", body: whole,
          headers: { "Content-Type": "application/json", "X-Study-Key": set.key },
        });
        if (answer.status !== 429 && answer.status < 500) return { status: answer.status, told: await answer.json() };
      } catch (error) { /* no connection: again below */ }
      say("No connection. What you did is kept here and will be sent again.");
      await new Promise((go) => setTimeout(go, Math.min(5000, 300 * (tries + 1))));
    }
  }

  async function done(found, words) {
    if (found.status === 200) {
      show(found.told);
      say(words);
      await load();
    } else if (found.status === 409) {
      late = found.told.newest;
    } else say(found.told.error);
    return found.status === 200;
  }

  // ---- the list ----

  async function load() {
    const told = await get("/api/set");
    if (!told) return;
    set = told;
    document.title = $("set").textContent = set.name;
    $("who").textContent = set.who + (set.expert ? " (expert)" : "");
    $("next").textContent = "Next to review (" + set.queue.length + ")";
    $("next").disabled = !set.queue.length;
    $("from-text").hidden = !set.ocr;
    $("box-by-label").hidden = !set.networks.includes("segment");
    $("from-words").hidden = !set.networks.includes("words");
    if (!$("mask-name").length) for (const name of set.masks) $("mask-name").append(make("option", name, { value: name }));
    $("samples").replaceChildren(...set.samples.map((sample) => {
      const button = make("button", sample.id, { type: "button" });
      const words = [sample.state, sample.category, sample.look ? sample.look + " to look at" : "", sample.reviewed ? "reviewed" : ""];
      button.append(make("small", words.filter(Boolean).join(" · ")));
      button.dataset.sample = sample.id;
      button.setAttribute("aria-current", String(Boolean(shown) && shown.record.id === sample.id));
      button.addEventListener("click", () => open(sample.id));
      const line = make("li");
      line.append(button);
      return line;
    }));
  }

  async function open(id) {
    const told = await get("/api/sample/" + encodeURIComponent(id));
    if (!told) return;
    leave();
    shown = late = null;
    say(drafts[id] ? "What you wrote here and did not save is still here." : "");
    show(told);
    for (const button of document.querySelectorAll("#samples button")) button.setAttribute("aria-current", String(button.dataset.sample === id));
  }

  // ---- one sample ----

  function valueOf(record, name) {
    if (TEXTS.includes(name) || name === "split") return record[name] || "";
    if (name === "category") return (record.category || []).join("/");
    if (SOURCE.includes(name)) return (record.source || {})[name] || "";
    return String((record.attributes || {})[name] ?? "");
  }

  // What differs from what is saved goes with the sample until it is saved or the page is left.
  function leave() {
    if (!shown) return;
    const written = {};
    for (const input of $("texts").elements) if (input.name && input.value.trim() !== valueOf(shown.record, input.name)) written[input.name] = input.value;
    if (Object.keys(written).length) drafts[shown.record.id] = written;
    else delete drafts[shown.record.id];
    sketch();
  }

  function sketch() {
    if (shown && Paint.state.changed) sketches[shown.record.id + "/" + maskName] = Paint.png();
  }

  function unsaved() {
    leave();
    return Object.keys(drafts).length + Object.keys(sketches).length > 0;
  }

  function show(told) {
    leave();
    const fresh = !shown || shown.record.id !== told.record.id;
    shown = told;
    const record = told.record;
    $("main").hidden = false;
    $("stats").hidden = true;
    $("conflict").hidden = true;
    $("title").textContent = record.id + " · " + (record.state || "draft") + " · version " + record.version;
    $("faults").replaceChildren(...told.faults.map((text) => make("li", text)));
    $("texts").replaceChildren(...[...TEXTS, ...FACTS].map((name) => {
      const label = make("label", name.replaceAll("_", " "));
      label.append(make(TEXTS.includes(name) ? "textarea" : "input", null, { name: name, value: valueOf(record, name) }));
      return label;
    }));
    for (const [name, text] of Object.entries(drafts[record.id] || {})) $("texts").elements[name].value = text;
    picture(fresh);
    difficulty();
    reviews();
    looking();
    proposed();
  }

  async function picture(fresh) {
    const record = shown.record, image = $("input");
    stop();
    if (fresh) boxes = [];
    image.src = shown.urls[record.images[0]];
    $("reference-figure").hidden = $("flicker").hidden = $("from-difference").hidden = !record.reference;
    if (record.reference) $("reference").src = $("over").src = shown.urls[record.reference];
    else { $("reference").removeAttribute("src"); $("over").removeAttribute("src"); }
    $("further").replaceChildren(...record.images.slice(1).map((path, n) => {
      const figure = make("figure"), stage = make("div", null, { className: "stage" });
      stage.append(make("img", null, { src: shown.urls[path], alt: "input " + (n + 2) }), make("div", null, { className: "boxes" }));
      figure.append(make("figcaption", "Input " + (n + 2)), stage);
      return figure;
    }));
    await image.decode().catch(() => say("This picture cannot be shown."));
    await Promise.all([...document.querySelectorAll("#pictures .stage img[src]")].map((one) => one.decode().catch(() => null)));
    list(); // boxes are placed, and ticked, by the size of their own picture
    await mask();
  }

  // The picture of a path on the page, none for one that is not shown.
  function imageOf(path) {
    if (path === shown.record.images[0]) return $("input");
    if (path === shown.record.reference) return $("reference");
    return $("further").querySelectorAll("img")[shown.record.images.indexOf(path) - 1] || null;
  }

  async function mask() {
    $("choices").hidden = true;
    maskName = $("mask-name").value;
    const path = (shown.record.masks || {})[maskName], image = $("input"), drawn = sketches[shown.record.id + "/" + maskName];
    Paint.fit(image.naturalWidth || 1, image.naturalHeight || 1);
    document.body.dataset.ready = "";
    if (drawn) await paint(blobOf(drawn));
    else if (path) await paint(await (await fetch(shown.urls[path], { credentials: "same-origin" })).blob());
    Paint.state.changed = Boolean(drawn);
    document.body.dataset.ready = shown.record.id;
  }

  async function paint(blob) { Paint.take(await createImageBitmap(blob)); }

  function blobOf(text) {
    return new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], { type: "image/png" });
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    $("over").hidden = true;
    $("flicker").setAttribute("aria-pressed", "false");
  }

  function flicker() {
    if (timer) return stop();
    $("flicker").setAttribute("aria-pressed", "true");
    timer = setInterval(() => { $("over").hidden = !$("over").hidden; }, 400);
  }

  // ---- texts ----

  function fields() {
    const record = shown.record, changed = {}, attributes = Object.assign({}, record.attributes), source = Object.assign({}, record.source);
    for (const input of $("texts").elements) {
      const name = input.name, value = input.value.trim();
      if (!name || value === valueOf(record, name)) continue;
      if (TEXTS.includes(name) || name === "split") changed[name] = value;
      else if (name === "category") changed.category = value.split("/").map((step) => step.trim()).filter(Boolean);
      else if (SOURCE.includes(name)) { if (value) source[name] = value; else delete source[name]; changed.source = source; }
      else { if (value) attributes[name] = value; else delete attributes[name]; changed.attributes = attributes; }
    }
    return changed;
  }

  function fill(record) {
    for (const input of $("texts").elements) if (input.name) input.value = valueOf(record, input.name);
  }

  async function save() {
    const changed = fields();
    if (!Object.keys(changed).length) return say("Nothing was changed.");
    const found = await post("change", { fields: changed });
    if (found.status !== 409) return done(found, "Saved.");
    late = found.told.newest;
    $("both").replaceChildren(...Object.keys(changed).map((name) => {
      const line = make("tr");
      for (const text of [name, JSON.stringify(late.record[name] ?? ""), JSON.stringify(changed[name])]) line.append(make("td", text));
      return line;
    }));
    $("conflict").hidden = false;
    $("conflict").scrollIntoView();
    say(found.told.error);
    $("mine").onclick = async () => {
      shown = Object.assign({}, shown, { record: Object.assign({}, shown.record, { version: late.record.version }) });
      await done(await post("change", { fields: changed }), "Saved on top.");
    };
    $("theirs").onclick = () => { fill(shown.record); show(late); say("What you wrote is in the trail."); };
  }

  // ---- what a model proposes ----

  function proposed() {
    $("proposed").hidden = !shown.proposed.length;
    $("differences").replaceChildren(...shown.proposed.map((one) => {
      const line = make("li"), text = make("p");
      line.append(make("b", one.field.replaceAll("_", " ") + " (" + one.by + ")"));
      for (const [kind, piece] of one.pieces) text.append(make({ same: "span", out: "del", in: "ins" }[kind], piece), " ");
      line.append(text);
      for (const take of [true, false]) {
        const button = make("button", take ? "Take it" : "Leave it", { type: "button" });
        button.dataset.field = one.field;
        button.dataset.take = String(take);
        button.addEventListener("click", async () => {
          const found = await post("decide", { field: one.field, take: take });
          if (found.status === 409) { show(found.told.newest); return say(found.told.error); }
          await done(found, take ? "Taken over." : "Put away.");
        });
        line.append(button);
      }
      return line;
    }));
  }

  // ---- masks ----

  async function propose(how, box) {
    const found = await post("propose", { how: how, box: box || [] });
    if (found.status !== 200) return say(found.told.error);
    const every = found.told.proposals;
    $("choices").hidden = every.length < 2;
    $("choices").replaceChildren(...every.map((one, n) => {
      const words = "Mask " + (n + 1) + ": " + share(one) + (one.score === null ? "" : ", score " + one.score.toFixed(2));
      const button = make("button", words, { type: "button" });
      button.addEventListener("click", () => choose(every, n));
      return button;
    }));
    await choose(every, 0);
  }

  function share(one) { return (100 * one.share).toFixed(1) + " %"; }

  async function choose(every, n) {
    [...$("choices").children].forEach((button, m) => button.setAttribute("aria-pressed", String(m === n)));
    await paint(blobOf(every[n].png));
    Paint.state.changed = true;
    say("Proposed: " + share(every[n]) + " of the picture. " + (every.length > 1 ? "Choose one of " + every.length + ", correct it and save it." : "Correct it and save it."));
  }

  async function saveMask() {
    Paint.close();
    const found = await post("mask", { name: $("mask-name").value, png: Paint.png(), note: "drawn" });
    if (found.status === 409) {
      late = found.told.newest;
      shown = Object.assign({}, shown, { record: Object.assign({}, shown.record, { version: late.record.version }) });
      say(found.told.error + " Your drawing is still here: save it again to put it on top.");
      return;
    }
    if (found.status === 200) {
      Paint.state.changed = false;
      delete sketches[shown.record.id + "/" + maskName];
    }
    await done(found, "Mask saved.");
  }

  // ---- names and faces ----

  function looking() {
    const unseen = shown.unseen, all = [...shown.record.images, ...(shown.record.reference ? [shown.record.reference] : [])];
    $("hiding").hidden = false;
    $("look-path").replaceChildren(...all.map((path, n) => make("option", (n < shown.record.images.length ? "input " + (n + 1) : "reference") + (unseen.includes(path) ? " (to look at)" : ""), { value: path })));
    if (unseen.length) $("look-path").value = unseen[0];
    boxes = [];
    list();
  }

  function list() {
    const path = $("look-path").value, image = imageOf(path), area = image ? image.naturalWidth * image.naturalHeight : 0;
    const proposed = (shown.proposals[path] || []).map((item) => ({ item: item, on: item.kind !== "eyes" && item.box[2] * item.box[3] < 0.5 * (area || Infinity) }));
    boxes = [...proposed, ...boxes.filter((one) => one.own)];
    draw();
  }

  function draw() {
    const image = imageOf($("look-path").value);
    $("proposals").replaceChildren(...boxes.map((one) => {
      const label = make("label"), tick = make("input", null, { type: "checkbox", checked: one.on });
      tick.addEventListener("change", () => { one.on = tick.checked; });
      label.append(tick, " " + one.item.kind + " at " + one.item.box.join(", "));
      const line = make("li");
      line.append(label);
      return line;
    }));
    for (const layer of document.querySelectorAll("#pictures .boxes")) layer.replaceChildren();
    if (!image || !image.naturalWidth) return;
    image.parentElement.querySelector(".boxes").replaceChildren(...boxes.map((one) => {
      const made = make("div", null, { className: one.own ? "box drawn" : "box" }), [x, y, w, h] = one.item.box;
      made.style.left = 100 * x / image.naturalWidth + "%";
      made.style.top = 100 * y / image.naturalHeight + "%";
      made.style.width = 100 * w / image.naturalWidth + "%";
      made.style.height = 100 * h / image.naturalHeight + "%";
      return made;
    }));
  }

  function addBox() {
    const box = Paint.state.box;
    if (!box || !box[2] || !box[3]) return say("Draw a box with the Box tool first.");
    boxes.push({ item: { kind: "other", box: box }, on: true, own: true });
    draw();
  }

  async function hide() {
    const chosen = boxes.filter((one) => one.on).map((one) => one.item);
    const found = await post("hide", { path: $("look-path").value, boxes: chosen });
    if (found.status === 409) { show(found.told.newest); return say(found.told.error); }
    await done(found, chosen.length ? "Hidden: " + chosen.length + "." : "Noted that you looked at it.");
  }

  // ---- difficulty ----

  function difficulty() {
    const told = shown.difficulty;
    $("difficulty").replaceChildren(...set.attributes.map((name) => {
      const computed = told.computed.includes(name) && told.proposed[name] !== undefined;
      const label = make("label", name.replaceAll("_", " ") + (computed ? " (computed)" : ""));
      const choice = make("select", null, { name: name, disabled: computed });
      choice.append(make("option", "–", { value: "" }));
      for (const value of set.yes_no.includes(name) ? [0, 2] : [0, 1, 2]) choice.append(make("option", String(value), { value: String(value) }));
      const value = computed ? told.proposed[name] : told.mine[name] ?? told.proposed[name];
      choice.value = value === undefined ? "" : String(value);
      label.append(choice);
      return label;
    }));
  }

  async function rate() {
    const values = {};
    for (const choice of $("difficulty").querySelectorAll("select")) if (!choice.disabled && choice.value) values[choice.name] = Number(choice.value);
    const found = await post("rate", { values: values });
    if (await done(found, "")) {
      const facts = found.told.record.attributes || {};
      say(facts.difficulty_total === undefined ? "Saved; not all ten are known yet." : "Saved: " + facts.difficulty + " (" + facts.difficulty_total + " of 20).");
    }
  }

  // ---- review ----

  function reviews() {
    $("reviews").replaceChildren(...Object.entries(shown.reviews).map(([who, one]) => make("li", who + ": " + one.verdict + (one.comment ? " – " + one.comment : ""))), ...shown.lacking.map((text) => make("li", text)));
    $("comments").replaceChildren(...(shown.record.comments || []).map((one) => make("li", one.who + ": " + one.text)));
    $("comment").value = "";
  }

  async function review(verdict) {
    const found = await post("review", { verdict: verdict, comment: $("comment").value });
    if (found.status === 409) { show(found.told.newest); return say("It was changed while you looked at it: look again. " + found.told.error); }
    await done(found, "Your verdict is kept: " + verdict + ".");
  }

  // ---- statistics ----

  async function stats() {
    const told = await get("/api/stats");
    if (!told) return;
    const parts = [make("h2", "Statistics: " + told.samples + " samples")];
    for (const [name, counts] of Object.entries(Object.assign({}, told.counts, { "share of the picture that masks cover": told.mask_share.histogram }))) {
      parts.push(make("h3", "By " + name), table(counts, told.samples));
    }
    const attributes = Object.entries(told.attributes).filter(([, line]) => Object.values(line).some(Boolean));
    if (attributes.length) parts.push(make("h3", "Attributes of difficulty"), grid(["attribute", "0", "1", "2"], attributes.map(([name, line]) => [name.replaceAll("_", " "), line["0"], line["1"], line["2"]])));
    const drawn = make("div", null, { id: "figures" });
    drawn.append(...told.figures.map((one) => make("img", null, { src: "/figure/" + one.name + ".svg", alt: one.text })));
    parts.push(make("h3", "Figures"), drawn);
    const agreed = told.agreement;
    parts.push(make("h3", "Reviews"), make("p", agreed.samples ? agreed.accepted_by_all + " of " + agreed.samples + " samples with two reviews were accepted by all at first sight; Krippendorff's alpha " + (agreed.alpha === null ? "is not defined" : agreed.alpha.toFixed(2)) + "." : "No sample has two reviews yet."));
    if (told.disagreements.length) parts.push(make("p", "Reviewers disagree on: " + told.disagreements.join(", ")));
    $("stats").replaceChildren(...parts);
    $("main").hidden = true;
    $("stats").hidden = false;
  }

  function grid(heads, lines) {
    const made = make("table"), head = make("thead"), body = make("tbody"), first = make("tr");
    first.append(...heads.map((text) => make("th", text, { scope: "col" })));
    head.append(first);
    for (const [name, ...numbers] of lines) {
      const line = make("tr");
      line.append(make("th", name, { scope: "row" }), ...numbers.map((number) => make("td", String(number))));
      body.append(line);
    }
    made.append(head, body);
    return made;
  }

  function table(counts, total) {
    const made = make("table"), body = make("tbody");
    for (const [label, number] of Object.entries(counts)) {
      const line = make("tr"), cell = make("td"), bar = make("progress", null, { max: Math.max(1, total), value: number });
      bar.setAttribute("aria-label", label);
      cell.append(bar);
      line.append(make("th", label, { scope: "row" }), make("td", String(number)), cell);
      body.append(line);
    }
    made.append(body);
    return made;
  }

  // ---- beginning ----

  for (const button of document.querySelectorAll("[data-tool]")) {
    button.addEventListener("click", () => {
      Paint.close();
      Paint.state.tool = button.dataset.tool;
      for (const other of document.querySelectorAll("[data-tool]")) other.setAttribute("aria-pressed", String(other === button));
    });
  }
  for (const button of document.querySelectorAll(".verdict")) button.addEventListener("click", () => review(button.dataset.verdict));
  $("size").addEventListener("input", () => { Paint.state.size = Number($("size").value); });
  $("mask-name").addEventListener("change", () => { sketch(); mask(); });
  window.addEventListener("beforeunload", (event) => { if (unsaved()) event.preventDefault(); });
  $("from-difference").addEventListener("click", () => propose("difference"));
  $("from-text").addEventListener("click", () => propose("text"));
  $("from-words").addEventListener("click", () => propose("words"));
  $("clear").addEventListener("click", Paint.clear);
  $("save-mask").addEventListener("click", saveMask);
  $("flicker").addEventListener("click", flicker);
  $("look-path").addEventListener("change", () => { boxes = []; list(); });
  $("add-box").addEventListener("click", addBox);
  $("hide").addEventListener("click", hide);
  $("texts").addEventListener("submit", (event) => { event.preventDefault(); save(); });
  $("save").addEventListener("click", save);
  $("rate").addEventListener("click", rate);
  $("say").addEventListener("click", async () => done(await post("comment", { text: $("comment").value }), "Comment kept."));
  $("next").addEventListener("click", () => { if (set.queue.length) open(set.queue[0]); });
  $("show-stats").addEventListener("click", stats);
  Paint.state.onbox = (box) => { propose(set.networks.includes("segment") ? $("box-by").value : "box", box); };
  Paint.listen();
  load();
})();
