// The workbench: one sample at a time; every change names the version that was seen.
"use strict";
(function () {
  const { $, make, button, say, nonce, ask, zoom, whole, movable } = Base;
  const MASKS = {
    input: "input: what may change in the input picture.",
    second: "second: the same in the reference, where it differs.",
    roi: "roi: the region where the edit belongs (MedEBench); outside of it nothing should change.",
  };
  let set = null, shown = null, wanted = "", maskName = "", boxes = [], timer = 0;

  async function get(path) {
    const found = await ask(path);
    if (found.status === 200) return found.told;
    say(found.told.error);
    return null;
  }

  const post = (what, facts) =>
    ask("/api/do", Object.assign({ what: what, sample: shown.id, version: shown.version, nonce: nonce() }, facts), set.key);

  // One change at a time: a second one from this page would be made from a version that is old.
  let working = false;
  async function alone(work) {
    if (working) return false;
    working = true;
    $("main").inert = true;
    try {
      return await work();
    } finally {
      working = false;
      $("main").inert = false;
    }
  }

  // A change, and the sample as it is then; where somebody was faster both are shown.
  const act = (what, facts, words) => alone(() => sendChange(what, facts, words));

  async function sendChange(what, facts, words) {
    const found = await post(what, facts);
    if (found.status === 409) late(found.told);
    else if (found.status === 200) {
      show(found.told);
      await load();
    }
    if (found.status !== 409) say(found.status === 200 ? words : found.told.error);
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
    $("withdraw").hidden = $("gone").hidden = !set.owner;
    $("kept").hidden = set.owner;
    $("next").textContent = "Next to review (" + set.queue.length + ")";
    $("next").disabled = !set.queue.length;
    if (!$("mask-name").length) $("mask-name").append(...set.masks.map((name) => make("option", { text: name, value: name })));
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
    for (const one of document.querySelectorAll("#samples button")) one.setAttribute("aria-current", String(Boolean(shown) && one.dataset.sample === shown.id));
    $("back").disabled = !beside(-1);
    $("forward").disabled = !beside(1);
  }

  const beside = (by) => (shown ? set.samples[set.samples.findIndex((sample) => sample.id === shown.id) + by] : null);
  const step = (by) => beside(by) && open(beside(by).id);

  async function open(id) {
    if (!(await settled())) return;
    document.body.dataset.ready = "";
    wanted = id;
    const told = await get("/api/sample/" + encodeURIComponent(id));
    if (!told || wanted !== id) return;
    whole();
    say("");
    show(told);
    current();
    $("seen").scrollTop = 0;
    if (scrollY > $("main").offsetTop) scrollTo(0, Math.max(0, $("seen").offsetTop - 60)); // the picture stays in view
  }

  // ---- one sample ----

  function show(told) {
    shown = told;
    boxes = [];
    $("main").hidden = false;
    $("conflict").hidden = true;
    const scan = told.scan;
    $("title").textContent = [told.id, told.state, "version " + told.version, scan.modality, scan.frame && "frame " + scan.frame, scan.window && "window " + scan.window.join("/")].filter(Boolean).join(" · ");
    $("faults").replaceChildren(...told.faults.map((text) => make("li", { text: text })));
    const verdicts = Object.entries(told.reviews).map(([who, one]) => who + ": " + one.verdict + (one.comment ? " – " + one.comment : ""));
    $("reviews").replaceChildren(...[...verdicts, ...told.lacking].map((text) => make("li", { text: text })));
    $("comment").value = "";
    $("delete-originals").hidden = !set.owner || !told.originals;
    $("delete-originals").textContent = "Delete the originals (" + told.originals + ")";
    form();
    pictures();
  }

  function figure(path, title) {
    const layer = make("div", { class: "layer" }, make("img", { src: shown.urls[path], alt: title, "data-path": path }), make("div", { class: "boxes" }));
    return make("figure", {}, make("figcaption", { text: title }), movable(make("div", { class: "view" }, layer)));
  }

  async function pictures() {
    const [first, ...rest] = shown.images, reference = shown.reference;
    flicker(false);
    $("input").dataset.path = first;
    $("input").src = shown.urls[first];
    if (reference) $("over").src = shown.urls[reference];
    $("flicker").hidden = $("from-difference").hidden = !reference;
    $("further").replaceChildren(...(reference ? [figure(reference, "Reference")] : []), ...rest.map((path, n) => figure(path, "Input " + (n + 2))));
    const names = [...shown.images.map((path, n) => [path, "input " + (n + 1)]), ...(reference ? [[reference, "reference"]] : [])];
    $("look-path").replaceChildren(...names.map(([path, name]) => make("option", { value: path, text: name + (shown.unseen.includes(path) ? " (to look at)" : "") })));
    $("hiding").open = shown.unseen.length > 0;
    $("look-path").value = shown.unseen[0] || first;
    await Promise.all([...document.querySelectorAll("#pictures img[data-path]")].map((one) => one.decode().catch(() => say("A picture cannot be shown."))));
    list(); // boxes are placed, and ticked, by the size of their own picture
    await mask();
  }

  async function mask() {
    maskName = $("mask-name").value;
    const path = shown.masks[maskName], image = $("input");
    $("mask-help").textContent = MASKS[maskName];
    Paint.fit(image.naturalWidth || 1, image.naturalHeight || 1);
    document.body.dataset.ready = "";
    if (path) await Paint.take(await (await fetch(shown.urls[path], { credentials: "same-origin" })).blob());
    document.body.dataset.ready = shown.id;
    marked();
  }

  function flicker(on) {
    clearInterval(timer);
    timer = on ? setInterval(() => { $("over").hidden = !$("over").hidden; }, 400) : 0;
    $("over").hidden = true;
    $("flicker").setAttribute("aria-pressed", String(on));
  }

  // ---- texts: the fields that the sample's protocol reads, and what else is filled ----

  const inputs = () => [...$("texts").elements].filter((input) => input.name);
  const protocol = () => set.protocol || $("texts").elements.namedItem("protocol").value;
  const read = (name) => !set.fields[name] || set.fields[name].protocols.includes(protocol()) || set.fields[name].protocols.length === set.protocols.length;

  function form() {
    $("fields").replaceChildren(...Object.keys(shown.texts).filter((name) => name !== "protocol" || !set.protocol).map((name) => {
      const about = set.fields[name] || { help: "", long: false };
      const input = make(about.long ? "textarea" : name === "protocol" ? "select" : "input", { name: name });
      if (name === "protocol") input.append(...["", ...set.protocols].map((one) => make("option", { text: one || "any", value: one })));
      input.value = shown.texts[name];
      return make("label", { text: name.replaceAll("_", " "), class: about.long ? "wide" : "" }, input, make("small", { text: about.help }));
    }));
    $("others").replaceChildren();
    arrange();
  }

  function arrange() {
    const order = Object.keys(shown.texts), labels = inputs().sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    for (const input of labels) $(read(input.name) || input.value.trim() ? "fields" : "others").append(input.closest("label"));
  }

  function changed() {
    return Object.fromEntries(inputs().map((input) => [input.name, input.value.trim()]).filter(([name, value]) => value !== shown.texts[name]));
  }

  // ---- one Save: texts and mask, whatever was changed ----

  function marked() {
    if (!shown) return;
    const parts = [Object.keys(changed()).length && "texts", Paint.state.changed && "mask"].filter(Boolean);
    $("unsaved").textContent = parts.length ? "not saved: " + parts.join(", ") : "";
    draw();
  }

  const save = () => alone(saveParts);

  async function saveParts() {
    if (!shown) return false;
    const texts = changed(), parts = [];
    if (Object.keys(texts).length) parts.push(["texts", "change", { fields: texts }]);
    if (Paint.state.changed) parts.push(["mask " + maskName, "mask", { name: maskName, png: Paint.png() }]);
    if (!parts.length) { say("Nothing was changed."); return true; }
    say("Saving…");
    let told = null;
    for (const [, what, facts] of parts) {
      const found = await post(what, facts);
      if (found.status === 409) late(found.told);
      else if (found.status !== 200) say(found.told.error);
      if (found.status !== 200) return false;
      told = found.told;
      Object.assign(shown, { version: told.version, texts: told.texts });
    }
    show(told);
    await load();
    say("Saved: " + parts.map(([said]) => said).join(", ") + ".");
    return true;
  }

  // Before another sample or mask is shown: what was changed is saved, or given up.
  async function settled() {
    if (!shown || !$("unsaved").textContent) return true;
    return confirm("Save what you changed in " + shown.id + "? Cancel throws it away.") ? save() : true;
  }

  // Somebody was faster: both texts side by side; a drawing stays until one of the two is taken.
  function late(told) {
    say(told.error);
    const newest = told.newest, texts = changed();
    $("both").replaceChildren(...Object.keys(texts).map((name) =>
      make("tr", {}, ...[name, newest.texts[name] || "", texts[name]].map((text) => make("td", { text: text })))));
    $("conflict").hidden = false;
    $("conflict").scrollIntoView({ block: "center" });
    $("mine").onclick = () => { shown.version = newest.version; save(); };
    $("theirs").onclick = () => { show(newest); say(""); };
  }

  // ---- masks ----

  const propose = () => alone(takeProposal);

  async function takeProposal() {
    const found = await post("propose", {});
    if (found.status !== 200) { say(found.told.error); return; }
    Paint.remember();
    await Paint.take(new Blob([Uint8Array.from(atob(found.told.png), (letter) => letter.charCodeAt(0))], { type: "image/png" }));
    Paint.changed();
    say("Proposed: " + (100 * found.told.share).toFixed(1) + " % of the picture. Correct it and save it.");
  }

  // ---- names and faces ----

  const imageOf = (path) => [...document.querySelectorAll("#pictures img")].find((image) => image.dataset.path === path);

  function list() {
    const path = $("look-path").value, image = imageOf(path), area = image.naturalWidth * image.naturalHeight;
    const lettering = !shown.scan.modality && (shown.texts.source_text || protocol().startsWith("textedit")); // texts are what is edited
    boxes = (shown.proposals[path] || []).map((item) => ({ item: item, on: item.kind === "text" && !lettering && item.box[2] * item.box[3] < 0.5 * area }));
    ticks();
  }

  function ticks() {
    $("proposals").replaceChildren(...boxes.map((one) => {
      const tick = make("input", { type: "checkbox", checked: one.on, onchange: () => { one.on = tick.checked; } });
      return make("li", {}, make("label", {}, tick, " " + one.item.kind + " at " + one.item.box.join(", ")));
    }));
    draw();
  }

  // The boxes that may be hidden on their picture, and the drawn one on the input.
  function draw() {
    for (const layer of document.querySelectorAll("#pictures .boxes")) layer.replaceChildren();
    const place = (image, [x, y, w, h], name) => {
      const box = make("div", { class: name }), share = (value, whole) => 100 * value / whole + "%";
      Object.assign(box.style, { left: share(x, image.naturalWidth), top: share(y, image.naturalHeight), width: share(w, image.naturalWidth), height: share(h, image.naturalHeight) });
      image.parentElement.querySelector(".boxes").append(box);
    };
    const image = imageOf($("look-path").value);
    for (const one of image ? boxes : []) place(image, one.item.box, "box");
    if (Paint.state.box) place($("input"), Paint.state.box, "box drawn");
  }

  function addBox() {
    const box = Paint.state.box;
    if (!box || !box[2] || !box[3]) { say("Draw a box with the Box tool first."); return; }
    boxes.push({ item: { kind: "other", box: box }, on: true });
    Paint.state.box = null;
    ticks();
  }

  async function hide() {
    const chosen = boxes.filter((one) => one.on).map((one) => one.item), path = $("look-path").value;
    if (await settled()) await act("hide", { path: path, boxes: chosen }, chosen.length ? "Hidden: " + chosen.length + "." : "Noted that you looked at it.");
  }

  async function deleteOriginals() {
    if (!confirm("Delete the pictures of " + shown.id + " as they were? They cannot be brought back.")) return;
    if (await settled()) await act("delete originals", {}, "The originals are deleted.");
  }

  // ---- review: a verdict is of what is saved ----

  async function review(verdict) {
    const comment = $("comment").value;
    if ($("unsaved").textContent && !(await save())) return;
    await act("review", { verdict: verdict, content: shown.content, comment: comment }, "Your verdict is kept: " + verdict + ".");
  }

  // Out of the set: neither shown, scored nor exported.
  async function withdraw() {
    const id = shown.id;
    if (!confirm("Take " + id + " out of the set?")) return;
    if (!(await act("change", { state: "withdrawn" }, id + " is withdrawn. To bring it back: editgauge curate set DIR " + id + " state=draft"))) return;
    shown = null;
    wanted = "";
    $("main").hidden = true;
  }

  // ---- beginning ----

  function tool(name) {
    Paint.state.tool = name;
    $("stage").classList.toggle("moving", name === "move");
    for (const one of document.querySelectorAll("[data-tool]")) one.setAttribute("aria-pressed", String(one.dataset.tool === name));
  }

  for (const one of document.querySelectorAll("[data-tool]")) one.addEventListener("click", () => tool(one.dataset.tool));
  for (const one of document.querySelectorAll(".verdict")) one.addEventListener("click", () => review(one.dataset.verdict));
  const CLICKS = {
    "from-difference": propose, "fill-box": () => Paint.fill() || say("Draw a box with the Box tool first."), "add-box": addBox,
    in: () => zoom(1.25), out: () => zoom(0.8), back: () => step(-1), forward: () => step(1), flicker: () => flicker(!timer),
    next: () => set.queue.length && open(set.queue[0]), undo: Paint.undo, clear: Paint.clear, whole, hide, save, withdraw,
    "delete-originals": deleteOriginals,
  };
  for (const [id, act] of Object.entries(CLICKS)) $(id).addEventListener("click", act);
  for (const name of ["light", "contrast"]) $(name).addEventListener("input", () => document.documentElement.style.setProperty("--" + name, $(name).value));
  $("size").addEventListener("input", () => { Paint.state.size = Number($("size").value); });
  $("mask-name").addEventListener("change", async () => { if (await settled()) mask(); else $("mask-name").value = maskName; });
  $("look-path").addEventListener("change", list);
  $("texts").addEventListener("submit", (event) => { event.preventDefault(); save(); });
  $("texts").addEventListener("input", marked);
  $("texts").addEventListener("change", (event) => { if (event.target.name === "protocol") arrange(); });
  window.addEventListener("beforeunload", (event) => { if ($("unsaved").textContent) event.preventDefault(); });
  document.addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey, field = event.target.closest("textarea, select, input:not([type=range])");
    const keys = command ? { z: Paint.undo } : { n: () => step(1), p: () => step(-1), "+": () => zoom(1.25), "-": () => zoom(0.8), "0": whole };
    if (command && event.key === "s") { event.preventDefault(); save(); return; }
    if (!field && set && !event.altKey && keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  Paint.state.ondraw = marked;
  movable($("stage"), () => Paint.state.tool !== "move");
  load();
})();
