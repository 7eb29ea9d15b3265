// The workbench: one sample at a time; every change names the version that was seen.
"use strict";
(function () {
  const { $, make, button, say, nonce, ask, zoom, whole, movable } = Base;
  const TEXTS = ["instruction", "source_text", "target_text", "caption", "knowledge", "change", "concept", "rephrased"];
  const PLAIN = [...TEXTS, "split", "protocol"], SOURCE = ["url", "licence", "consent"];
  const HELP = {
    instruction: "What the model is asked, as a person would say it.",
    source_text: "The words that are replaced, as they stand in the input.",
    target_text: "The words that are to stand there afterwards.",
    caption: "What the edited picture shows, in one sentence.",
    knowledge: "What one must know to judge the edit; annotators and judges read it.",
    change: "What the right edit changes, in detail: modality, action, entity, region.",
    concept: "What is edited, in a word or two: pneumothorax.",
    rephrased: "The instruction once more, in other words.",
    category: "Broad to narrow, with /: Lung/remove nodule.",
    font_complexity: "0: plain, 1: styled, 2: artistic.",
    language: "0: English, 1: another, 2: several.",
    surface_geometry: "0: flat, 1: in perspective, 2: curved.",
    occlusion: "0: none, 1: partly, 2: heavy.",
    context_dependency: "0: no, 2: other texts must change, too.",
    background_clutter: "0: clean, 1: some, 2: much.",
    protocol: "Whose metrics, tables and judge measure the sample.",
    kris_task: "KRIS-Bench's folder: color_change, temporal_prediction…",
    missing_frame: "Which of four frames is to be made: 1 to 4.",
    textedit_category: "TextEdit's class: 2.1.",
  };
  const MASKS = {
    input: "input: what may change in the input picture.",
    second: "second: the same in the reference, where it differs.",
    roi: "roi: the region where the edit belongs (MedEBench); outside of it nothing should change.",
  };
  let set = null, shown = null, wanted = "", boxes = [], timer = 0, maskName = "", before = null;
  const drafts = Object.create(null), sketches = Object.create(null); // what was written and drawn and is not saved, by sample

  async function get(path) {
    const found = await ask(path);
    if (found.status === 200) return found.told;
    say(found.told.error);
    return null;
  }

  const post = (name, body) =>
    ask("/api/" + name, Object.assign({ sample: shown.record.id, version: shown.record.version, nonce: nonce() }, body), set.key);

  // What the server answered: the sample as it is now, or why not. A conflict shows the newest.
  async function done(found, words) {
    if (found.status === 200 || found.told.newest) show(found.told.newest || found.told);
    say(found.status === 200 ? words : found.told.error);
    if (found.status === 200) await load();
    return found.status === 200;
  }

  // ---- the list ----

  async function load() {
    const told = await get("/api/set");
    $("loading").hidden = true;
    if (!told) return;
    set = told;
    document.title = $("set").textContent = set.name;
    $("who").textContent = set.who + (set.expert ? " (expert)" : "");
    $("next").textContent = "Next to review (" + set.queue.length + ")";
    $("next").disabled = !set.queue.length;
    $("from-text").hidden = !set.ocr;
    $("box-by-label").hidden = !set.networks.includes("segment");
    $("from-words").hidden = !set.networks.includes("words");
    if (!$("mask-name").length) for (const name of set.masks) $("mask-name").append(make("option", { text: name, value: name }));
    $("samples").replaceChildren(...set.samples.map((sample) => {
      const words = [sample.state, sample.category, sample.look ? sample.look + " to look at" : "", sample.reviewed ? "reviewed" : ""];
      const one = button(sample.id, () => open(sample.id), { "data-sample": sample.id });
      one.append(make("small", { text: words.filter(Boolean).join(" · ") }));
      return make("li", {}, one);
    }));
    current();
    if (!told.samples.length) say("No sample yet: editgauge curate add DIR PICTURES");
    else if (!shown && !wanted) open(told.samples[0].id);
  }

  function current() {
    for (const one of document.querySelectorAll("#samples button")) one.setAttribute("aria-current", String(Boolean(shown) && one.dataset.sample === shown.record.id));
    const here = place();
    $("back").disabled = here < 1;
    $("forward").disabled = !set || here >= set.samples.length - 1;
  }

  const place = () => (shown && set ? set.samples.findIndex((sample) => sample.id === shown.record.id) : -1);

  function step(by) {
    const next = set && set.samples[place() + by];
    if (next) open(next.id);
  }

  async function open(id) {
    document.body.dataset.ready = "";
    wanted = id;
    const told = await get("/api/sample/" + encodeURIComponent(id));
    if (!told || wanted !== id) return;
    leave();
    shown = null;
    whole();
    show(told);
    say(drafts[id] ? "What you wrote here and did not save is still here." : "");
    current();
    $("seen").scrollTop = 0;
    if (scrollY > $("main").offsetTop) scrollTo(0, Math.max(0, $("seen").offsetTop - 60)); // the picture stays in view
  }

  // ---- one sample ----

  function valueOf(record, name) {
    if (PLAIN.includes(name)) return record[name] || "";
    if (name === "category") return (record.category || []).join("/");
    if (SOURCE.includes(name)) return (record.source || {})[name] || "";
    return String((record.attributes || {})[name] ?? "");
  }

  // What differs from what is saved goes with the sample until it is saved or the page is left.
  function leave() {
    if (!shown) return;
    const written = {};
    for (const input of inputs()) if (input.value.trim() !== valueOf(shown.record, input.name)) written[input.name] = input.value;
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
    $("conflict").hidden = true;
    const scan = ((record.pictures || {})[record.images[0]] || {}).scan || {};
    $("title").textContent = [record.id, record.state, "version " + record.version, scan.modality, scan.frame && "frame " + scan.frame, scan.window && "window " + scan.window.join("/")].filter(Boolean).join(" · ");
    $("faults").replaceChildren(...told.faults.map((text) => make("li", { text: text })));
    form(drafts[record.id] || {});
    picture(fresh);
    reviews();
    looking();
    marked();
  }

  async function picture(fresh) {
    const record = shown.record, image = $("input");
    stop();
    if (fresh) boxes = [];
    image.src = shown.urls[record.images[0]];
    $("reference-figure").hidden = $("flicker").hidden = $("from-difference").hidden = !record.reference;
    for (const id of ["reference", "over"]) {
      if (record.reference) $(id).src = shown.urls[record.reference];
      else $(id).removeAttribute("src");
    }
    $("further").replaceChildren(...record.images.slice(1).map((path, n) => {
      const layer = make("div", { class: "layer" }, make("img", { src: shown.urls[path], alt: "input " + (n + 2) }), make("div", { class: "boxes" }));
      return make("figure", {}, make("figcaption", { text: "Input " + (n + 2) }), movable(make("div", { class: "view" }, layer)));
    }));
    await image.decode().catch(() => say("This picture cannot be shown."));
    await Promise.all([...document.querySelectorAll("#pictures .layer img[src]")].map((one) => one.decode().catch(() => null)));
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
    before = null;
    maskName = $("mask-name").value;
    $("mask-help").textContent = MASKS[maskName];
    const path = (shown.record.masks || {})[maskName], image = $("input"), drawn = sketches[shown.record.id + "/" + maskName];
    Paint.fit(image.naturalWidth || 1, image.naturalHeight || 1);
    document.body.dataset.ready = "";
    if (drawn) await paint(blobOf(drawn));
    else if (path) await paint(await (await fetch(shown.urls[path], { credentials: "same-origin" })).blob());
    Paint.state.changed = Boolean(drawn);
    document.body.dataset.ready = shown.record.id;
    marked();
  }

  async function paint(blob) { Paint.take(await createImageBitmap(blob)); }

  const blobOf = (text) => new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], { type: "image/png" });

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

  // ---- texts: the fields that the sample's protocol reads, and what else is filled ----

  const inputs = () => [...$("texts").elements].filter((input) => input.name);

  function form(written) {
    const own = [...new Set([...PLAIN, "category", ...SOURCE, ...Object.values(set.fields).flat()])];
    const labels = own.filter((name) => name !== "protocol" || !set.protocol).map((name) => {
      const value = written[name] ?? valueOf(shown.record, name), label = make("label", { text: name.replaceAll("_", " ") });
      const input = make(TEXTS.includes(name) ? "textarea" : name === "protocol" ? "select" : "input", { name: name });
      if (name === "protocol") {
        input.append(make("option", { text: "any", value: "" }), ...Object.keys(set.fields).map((one) => make("option", { text: one, value: one })));
        input.addEventListener("change", () => arrange());
      }
      input.value = value;
      label.className = TEXTS.includes(name) ? "wide" : "";
      label.append(input);
      if (HELP[name]) label.append(make("small", { text: HELP[name] }));
      return label;
    });
    $("fields").replaceChildren(...labels);
    $("others").replaceChildren();
    arrange();
  }

  const protocol = () => set.protocol || $("texts").elements.namedItem("protocol").value;

  function arrange() {
    const read = ["instruction", "protocol", ...(set.fields[protocol()] || []), "category", "split", ...SOURCE];
    for (const name of new Set([...read, ...inputs().map((input) => input.name)])) {
      const input = $("texts").elements.namedItem(name);
      if (input) $(read.includes(name) || input.value.trim() ? "fields" : "others").append(input.closest("label"));
    }
  }

  function fields() {
    const record = shown.record, changed = {}, attributes = Object.assign({}, record.attributes), source = Object.assign({}, record.source);
    for (const input of inputs()) {
      const name = input.name, value = input.value.trim();
      if (value === valueOf(record, name)) continue;
      if (PLAIN.includes(name)) changed[name] = value;
      else if (name === "category") changed.category = value.split("/").map((step) => step.trim()).filter(Boolean);
      else if (SOURCE.includes(name)) { if (value) source[name] = value; else delete source[name]; changed.source = source; }
      else { if (value) attributes[name] = /^\d{1,9}$/.test(value) ? Number(value) : value; else delete attributes[name]; changed.attributes = attributes; }
    }
    return changed;
  }

  // ---- one Save: texts and masks, whatever was changed ----

  function marked() {
    if (!shown) return;
    const parts = [Object.keys(fields()).length && "texts", Paint.state.changed && "mask"].filter(Boolean);
    $("unsaved").textContent = parts.length ? "not saved: " + parts.join(", ") : "";
  }

  async function save() {
    if (!shown) return false;
    Paint.close();
    sketch();
    const id = shown.record.id, texts = fields(), kept = [];
    const parts = Object.keys(sketches).filter((key) => key.startsWith(id + "/")).map((key) => ["mask", key, { name: key.slice(id.length + 1), png: sketches[key], note: "drawn" }]);
    if (Object.keys(texts).length) parts.unshift(["change", "texts", { fields: texts }]);
    if (!parts.length) { say("Nothing was changed."); return true; }
    say("Saving…");
    let told = null;
    for (const [name, what, body] of parts) {
      const found = await post(name, body);
      if (found.status !== 200) { late(found, name, texts); return false; }
      told = found.told;
      shown.record.version = told.record.version;
      if (name === "mask") { delete sketches[what]; Paint.state.changed = false; }
      kept.push(name === "mask" ? "mask " + body.name : what);
    }
    shown = told;
    for (const input of inputs()) if (input.name in texts) input.value = valueOf(told.record, input.name);
    return done({ status: 200, told: told }, "Saved: " + kept.join(", ") + ".");
  }

  // Somebody was faster: both texts side by side; a drawing is put on top by saving again.
  function late(found, name, changed) {
    say(found.told.error + (found.status === 409 && name === "mask" ? " Your drawing is still here: save it again to put it on top." : ""));
    if (found.status !== 409) return;
    const newest = found.told.newest;
    if (name !== "change") { shown.record.version = newest.record.version; return; }
    $("both").replaceChildren(...Object.keys(changed).map((field) =>
      make("tr", {}, ...[field, JSON.stringify(newest.record[field] ?? ""), JSON.stringify(changed[field])].map((text) => make("td", { text: text })))));
    $("conflict").hidden = false;
    $("conflict").scrollIntoView({ block: "center" });
    $("mine").onclick = async () => {
      shown.record.version = newest.record.version;
      await done(await post("change", { fields: changed }), "Saved on top.");
    };
    $("theirs").onclick = () => {
      for (const input of inputs()) input.value = valueOf(shown.record, input.name);
      show(newest);
      say("What you wrote is among the events.");
    };
  }

  // ---- masks ----

  async function propose(how, box) {
    const was = Paint.state.changed, found = await post("propose", { how: how, box: box || [] });
    if (found.status !== 200) return say(found.told.error);
    const every = found.told.proposals;
    before = box ? { changed: was } : null;
    Paint.remember();
    $("choices").hidden = every.length < 2;
    $("choices").replaceChildren(...every.map((one, n) =>
      button("Mask " + (n + 1) + ": " + share(one) + (one.score === null ? "" : ", score " + one.score.toFixed(2)), () => choose(every, n))));
    await choose(every, 0);
  }

  const share = (one) => (100 * one.share).toFixed(1) + " %";

  async function choose(every, n) {
    [...$("choices").children].forEach((one, m) => one.setAttribute("aria-pressed", String(m === n)));
    await paint(blobOf(every[n].png));
    Paint.state.changed = true;
    marked();
    say("Proposed: " + share(every[n]) + " of the picture. " + (every.length > 1 ? "Choose one of " + every.length + ", correct it and save it." : "Correct it and save it."));
  }

  // ---- names and faces ----

  function looking() {
    const unseen = shown.unseen, all = [...shown.record.images, ...(shown.record.reference ? [shown.record.reference] : [])];
    $("look-path").replaceChildren(...all.map((path, n) => make("option", { value: path, text: (n < shown.record.images.length ? "input " + (n + 1) : "reference") + (unseen.includes(path) ? " (to look at)" : "") })));
    $("hiding").open = unseen.length > 0;
    if (unseen.length) $("look-path").value = unseen[0];
    boxes = [];
    list();
  }

  function list() {
    const path = $("look-path").value, image = imageOf(path), area = image ? image.naturalWidth * image.naturalHeight : 0;
    const proposed = (shown.proposals[path] || []).map((item) => ({ item: item, on: item.kind === "text" && item.box[2] * item.box[3] < 0.5 * (area || Infinity) }));
    boxes = [...proposed, ...boxes.filter((one) => one.own)];
    draw();
  }

  function draw() {
    const image = imageOf($("look-path").value);
    $("proposals").replaceChildren(...boxes.map((one) => {
      const tick = make("input", { type: "checkbox", checked: one.on, onchange: () => { one.on = tick.checked; } });
      return make("li", {}, make("label", {}, tick, " " + one.item.kind + " at " + one.item.box.join(", ")));
    }));
    for (const layer of document.querySelectorAll("#pictures .boxes")) layer.replaceChildren();
    if (!image || !image.naturalWidth) return;
    image.parentElement.querySelector(".boxes").replaceChildren(...boxes.map((one) => {
      const drawn = make("div", { class: one.own ? "box drawn" : "box" }), [x, y, w, h] = one.item.box;
      const across = (value) => 100 * value / image.naturalWidth + "%", down = (value) => 100 * value / image.naturalHeight + "%";
      Object.assign(drawn.style, { left: across(x), top: down(y), width: across(w), height: down(h) });
      return drawn;
    }));
  }

  function addBox() {
    const box = Paint.state.box;
    if (!box || !box[2] || !box[3]) return say("Draw a box with the Box tool first.");
    if (before) { // the box was meant for hiding: no mask is proposed from it
      Paint.undo();
      Paint.state.changed = before.changed;
      $("choices").hidden = true;
      before = null;
      marked();
    }
    boxes.push({ item: { kind: "other", box: box }, on: true, own: true });
    draw();
  }

  async function hide() {
    const chosen = boxes.filter((one) => one.on).map((one) => one.item);
    const found = await post("hide", { path: $("look-path").value, boxes: chosen });
    await done(found, chosen.length ? "Hidden: " + chosen.length + "." : "Noted that you looked at it.");
  }

  // ---- review ----

  function reviews() {
    const verdicts = Object.entries(shown.reviews).map(([who, one]) => who + ": " + one.verdict + (one.comment ? " – " + one.comment : ""));
    $("reviews").replaceChildren(...[...verdicts, ...shown.lacking].map((text) => make("li", { text: text })));
    $("comment").value = "";
  }

  // Out of the set: neither shown, scored nor exported; `curate set DIR SAMPLE state=draft` brings it back.
  async function withdraw() {
    const id = shown.record.id;
    if (!confirm("Take " + id + " out of the set?")) return;
    const found = await post("change", { fields: { state: "withdrawn" } });
    if (found.status !== 200) { await done(found, ""); return; }
    shown = null;
    wanted = "";
    $("main").hidden = true;
    await load();
    say(id + " is withdrawn. To bring it back: editgauge curate set DIR " + id + " state=draft");
  }

  // A verdict is of what is saved: what this person changed is saved first.
  async function review(verdict) {
    const comment = $("comment").value;
    marked();
    if ($("unsaved").textContent && !(await save())) return;
    const found = await post("review", { verdict: verdict, comment: comment });
    await done(found, "Your verdict is kept: " + verdict + ".");
    if (found.status === 409) say("It was changed while you looked at it: look again. " + found.told.error);
  }

  // ---- beginning ----

  function tool(name) {
    Paint.close();
    Paint.state.tool = name;
    $("stage").classList.toggle("moving", name === "move");
    for (const one of document.querySelectorAll("[data-tool]")) one.setAttribute("aria-pressed", String(one.dataset.tool === name));
  }

  for (const one of document.querySelectorAll("[data-tool]")) one.addEventListener("click", () => tool(one.dataset.tool));
  for (const one of document.querySelectorAll(".verdict")) one.addEventListener("click", () => review(one.dataset.verdict));
  const CLICKS = {
    "from-difference": () => propose("difference"), "from-text": () => propose("text"), "from-words": () => propose("words"),
    "add-box": addBox, in: () => zoom(1.25), out: () => zoom(0.8), back: () => step(-1), forward: () => step(1),
    undo: Paint.undo, clear: Paint.clear, whole, flicker, hide, save,
    next: () => set.queue.length && open(set.queue[0]),
    withdraw,
  };
  for (const [id, act] of Object.entries(CLICKS)) $(id).addEventListener("click", act);
  for (const name of ["light", "contrast"]) $(name).addEventListener("input", () => document.documentElement.style.setProperty("--" + name, $(name).value));
  $("size").addEventListener("input", () => { Paint.state.size = Number($("size").value); });
  $("mask-name").addEventListener("change", () => { sketch(); mask(); });
  $("look-path").addEventListener("change", () => { boxes = []; list(); });
  $("texts").addEventListener("submit", (event) => { event.preventDefault(); save(); });
  $("texts").addEventListener("input", marked);
  window.addEventListener("beforeunload", (event) => { if (unsaved()) event.preventDefault(); });
  document.addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey, field = event.target.closest("textarea, select, input:not([type=range])");
    if (command && event.key === "s") { event.preventDefault(); save(); return; }
    if (field || !set) return;
    if (command && event.key === "z") { event.preventDefault(); Paint.undo(); return; }
    const keys = { n: () => step(1), p: () => step(-1), "+": () => zoom(1.25), "-": () => zoom(0.8), "0": whole };
    if (!command && !event.altKey && keys[event.key]) keys[event.key]();
  });
  Object.assign(Paint.state, { onbox: (box) => propose(set.networks.includes("segment") ? $("box-by").value : "box", box), onchange: marked });
  Paint.listen();
  movable($("stage"), () => Paint.state.tool !== "move");
  movable($("reference").closest(".view"));
  load();
})();
