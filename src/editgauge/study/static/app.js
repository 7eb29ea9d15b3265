// One sample after the other: show it, take answers by mouse, touch or keyboard, send them once.
"use strict";
(function () {
  const { $, make, button, say, wait, nonce: fresh, zoom, whole, movable } = Base;
  const PENDING = "editgauge-pending";
  const PAIR = [["a", "A is better"], ["b", "B is better"], ["tie", "tie"], ["both_bad", "both bad"]];
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  let study = null, task = null, answers = {}, output = 0, question = 0, shownAt = 0, nonce = "", busy = false, timer = 0;

  const ask = (path, body) => Base.ask(path, body, study ? study.key : "");
  const pairwise = () => study.mode === "pairwise";

  // ---- sending: an answer is kept in the browser until the server has it on its disk ----

  async function deliver(body) {
    localStorage.setItem(PENDING, JSON.stringify(body));
    const found = await ask("/api/answer", body);
    localStorage.removeItem(PENDING);
    return found;
  }

  async function load() {
    const found = await ask("/api/task");
    if (found.status !== 200) { busy = false; say(found.told.error); $("main").hidden = $("loading").hidden = true; return; }
    study = found.told;
    const left = localStorage.getItem(PENDING);
    if (left) {
      await deliver(JSON.parse(left));
      return load();
    }
    if (!task) head(); // else what is read and what is shown change together
    const figures = study.task ? pictures(study.task) : null;
    if (figures) await loaded(figures);
    if (figures && figures.given.length) framed(figures.given[0].querySelector("img"));
    busy = false;
    show(figures);
  }

  // Nothing may move under the pointer while pictures come in.
  function loaded(figures) {
    const images = [...figures.given, ...figures.outputs].flatMap((node) => [...node.querySelectorAll("img")]);
    return Promise.race([wait(20000), Promise.all(images.map((image) => image.decode().catch(() => null)))]);
  }

  // Nobody rates what they cannot see: answers wait until every picture of the sample is there.
  const isThere = (image) => image.complete && image.naturalWidth > 0;
  const allThere = () => [...document.querySelectorAll("#pictures img")].every(isThere);

  function loadAgain() {
    for (const image of document.querySelectorAll("#pictures img")) {
      if (!isThere(image)) image.src = image.getAttribute("src");
    }
  }

  // A server that was away for a moment: a picture is asked for again, less and less often.
  function failed(event) {
    const image = event.target, tries = Number(image.dataset.tries || 0) + 1;
    image.dataset.tries = String(tries);
    if (tries <= 10) setTimeout(() => { if (image.isConnected && !isThere(image)) image.src = image.getAttribute("src"); }, 500 * tries);
    if (task) mark();
  }

  function tellMissing() {
    const missing = [...document.querySelectorAll("#pictures img")].filter((image) => image.complete && !isThere(image));
    $("missing").hidden = !missing.length;
  }

  // All pictures of a sample have one frame: on a phone it leaves room for the buttons.
  function framed(image) {
    $("pictures").style.setProperty("--ratio", String((image.naturalWidth || 1) / (image.naturalHeight || 1)));
  }

  async function send(skip) {
    if (busy || !task || (!skip && !complete())) return;
    working(true);
    const body = { task: task.id, version: task.version, nonce: nonce, seconds: (performance.now() - shownAt) / 1000, comment: $("comment").value };
    if (skip) body.skip = skip;
    else body.answers = answers;
    const found = await deliver(body);
    if (found.status !== 200) {
      await load();
      say(found.told.error);
    } else if (found.told.feedback) {
      busy = false;
      $("feedback").querySelector("p").textContent = found.told.feedback;
      $("feedback").hidden = false;
      $("main").hidden = true;
      task = null;
      $("onwards").focus();
    } else await load();
  }

  async function undo() {
    if (busy || !study) return;
    working(true);
    const found = await ask("/api/undo", { nonce: fresh() }); // sent again after a lost reply: one answer
    if (found.status === 200 && !found.told.ok) say("There is nothing to take back.");
    else { await load(); if (found.status !== 200) say(found.told.error); }
    working(false);
  }

  function working(on) {
    busy = on;
    $("main").classList.toggle("busy", on);
    if (task) mark();
  }

  // ---- showing ----

  function head() {
    document.title = $("study").textContent = study.study;
    $("bar").max = Math.max(1, study.total);
    $("bar").value = study.done;
    $("count").textContent = study.done + " of " + study.total;
  }

  function show(figures) {
    say("");
    head();
    task = study.task;
    $("loading").hidden = $("feedback").hidden = true;
    $("done").hidden = Boolean(task);
    $("main").hidden = $("send").hidden = $("left").hidden = !task;
    $("main").className = (pairwise() ? "pair" : "") + (study.questions.length > 1 ? " several" : "");
    if (!task) return;
    answers = {};
    output = question = 0;
    nonce = fresh();
    shownAt = performance.now();
    if (timer) flicker();
    whole();
    $("comment").value = $("reason").value = "";
    $("training").hidden = !task.training;
    $("instruction").textContent = task.instruction;
    $("hint").textContent = task.hint;
    $("hint").hidden = !task.hint;
    $("mask").hidden = !task.mask;
    $("given").replaceChildren(...figures.given);
    $("outputs").replaceChildren(...figures.outputs);
    for (const one of study.questions) answers[one.id] = pairwise() ? null : task.outputs.map(() => null);
    restore(task.previous);
    questions();
    scrollTo(0, 0);
  }

  function restore(previous) {
    if (!previous) return;
    $("comment").value = previous.comment || "";
    if (previous.answers) answers = previous.answers;
  }

  function pictures(task) {
    const input = task.inputs[0] || "", several = task.inputs.length > 1;
    const given = task.inputs.map((url, index) => figure(url, several ? "Input " + (index + 1) : "Input", "", index ? "" : task.mask));
    if (task.reference) given.push(figure(task.reference, "Reference"));
    const outputs = task.outputs.map((url, slot) => {
      const node = figure(url, LETTERS[slot], input, task.mask);
      node.addEventListener("pointerdown", () => { output = slot; mark(); });
      return node;
    });
    return { given: given, outputs: outputs };
  }

  function figure(url, title, input, mask) {
    const arrived = () => { if (task) mark(); };
    const image = (address, name, text) => make("img", { src: address, class: name, alt: text, draggable: "false", onload: arrived, onerror: failed });
    const layer = make("div", { class: "layer" }, image(url, "", title));
    if (input) layer.append(image(input, "over input", ""));
    if (mask) layer.append(image(mask, "over mask", ""));
    return make("figure", {}, make("figcaption", { text: title }), movable(make("div", { class: "view" }, layer)));
  }

  const press = (id, on) => $(id).setAttribute("aria-pressed", String(on));

  function flicker() {
    clearInterval(timer);
    timer = timer ? 0 : setInterval(() => document.body.classList.toggle("showing-input"), 400);
    document.body.classList.toggle("showing-input", Boolean(timer));
    press("flicker", Boolean(timer));
  }

  function area() { press("mask", document.body.classList.toggle("showing-mask")); }

  function options() {
    if (pairwise()) return PAIR;
    if (study.mode === "grade") return ["good", "fair", "poor"].map((word) => [word, word]);
    const most = study.mode === "rank" ? task.outputs.length : 5;
    return Array.from({ length: most }, (_, index) => [index + 1, String(index + 1)]);
  }

  // A question and its scale above the pictures, its buttons below the picture that they are about.
  function questions() {
    const several = study.questions.length > 1, figures = [...$("outputs").children];
    $("questions").replaceChildren(...study.questions.map((one) => make("div", { class: "question", "data-question": one.id },
      make("h2", { text: several && one.text !== one.id ? one.id + " · " + one.text : one.text }), make("small", { text: study.ends }))));
    $("below").replaceChildren();
    study.questions.forEach(function (one, index) {
      const title = several ? one.id : "";
      if (pairwise()) $("below").append(choice(one.id, index, -1, title));
      else figures.forEach((figure, slot) => figure.append(choice(one.id, index, slot, title)));
    });
    mark();
  }

  function choice(id, index, slot, title) {
    const node = make("div", { class: "choice", "data-question": id, "data-slot": slot, role: "group", "aria-label": (slot < 0 ? "" : LETTERS[slot] + " ") + id });
    if (title) node.append(make("b", { text: title }));
    for (const [value, text] of options()) {
      node.append(button(text, function () { question = index; if (slot >= 0) output = slot; set(id, slot, value); onwards(slot); }, { "data-value": value, "aria-pressed": "false" }));
    }
    return node;
  }

  // On a phone one output is seen at a time: the next one comes once this one is answered.
  function onwards(slot) {
    const answered = slot >= 0 && Object.values(answers).every((given) => given[slot] !== null);
    if (answered && slot < task.outputs.length - 1 && matchMedia("(max-width: 44rem)").matches) move(1, -question);
  }

  function set(id, slot, value) {
    if (!allThere()) { mark(); return; }
    if (slot < 0) answers[id] = value;
    else answers[id][slot] = value;
    mark();
  }

  function mark() {
    const now = study.questions[question].id, there = allThere();
    tellMissing();
    for (const node of document.querySelectorAll(".question")) node.classList.toggle("here", node.dataset.question === now);
    for (const part of document.querySelectorAll(".choice")) {
      const slot = Number(part.dataset.slot), given = answers[part.dataset.question], value = slot < 0 ? given : given[slot];
      part.classList.toggle("here", part.dataset.question === now && (slot < 0 || slot === output));
      for (const one of part.querySelectorAll("button")) {
        one.disabled = !there;
        one.setAttribute("aria-pressed", String(value !== null && one.dataset.value === String(value)));
      }
    }
    document.querySelectorAll("#outputs figure").forEach((node, slot) => node.classList.toggle("here", slot === output));
    $("send").disabled = busy || !complete();
    const open = Object.values(answers).flat().filter((value) => value === null).length;
    $("left").textContent = !there ? "waiting for pictures" : open ? open + " left to answer" : "all answered";
  }

  const complete = () => allThere() && Object.values(answers).flat().every((value) => value !== null);

  // ---- keyboard ----

  function number(value) {
    const one = study.questions[question], found = options()[value - 1];
    if (!found || !allThere()) return;
    set(one.id, pairwise() ? -1 : output, found[0]);
    if (pairwise() || output === task.outputs.length - 1) {
      if (question < study.questions.length - 1) { question += 1; output = 0; }
    } else output += 1;
    mark();
    seen();
  }

  function move(outputs, ask) {
    output = Math.min(task.outputs.length - 1, Math.max(0, output + outputs));
    question = Math.min(study.questions.length - 1, Math.max(0, question + ask));
    mark();
    seen();
  }

  function seen() { $("outputs").children[output].scrollIntoView({ block: "nearest", inline: "nearest" }); }

  const KEYS = {
    ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, -1), ArrowDown: () => move(0, 1),
    u: undo, f: flicker, m: () => task.mask && area(), s: () => $("reason").focus(), c: () => $("comment").focus(),
    "+": () => zoom(1.25), "-": () => zoom(0.8), "0": whole, "?": help,
  };
  const PAIR_KEYS = { a: 1, b: 2, t: 3, n: 4 };

  function help() {
    $("keys").hidden = !$("keys").hidden;
    $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("textarea, select");
    if (event.key === "Escape" && field) { field.blur(); return; }
    if (field || !study) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!task) { if (key === "u") undo(); return; }
    if (key === "Enter") {
      if (event.target.closest("button")) event.preventDefault();
      send();
    } else if (pairwise() && PAIR_KEYS[key]) number(PAIR_KEYS[key]);
    else if (/^[1-9]$/.test(key)) number(Number(key));
    else if (KEYS[key]) { event.preventDefault(); KEYS[key](); }
  });

  const CLICKS = { send: () => send(), undo, help, in: () => zoom(1.25), out: () => zoom(0.8), reset: whole, flicker, mask: area, onwards: load, again: loadAgain };
  for (const [id, act] of Object.entries(CLICKS)) $(id).addEventListener("click", act);
  $("skip").addEventListener("click", () => ($("reason").value ? send($("reason").value) : say("Choose why you skip this one.")));

  load().then(function () {
    if (!study) return;
    const option = (text, value) => make("option", { value: value, text: text });
    $("reason").replaceChildren(option("Why skip? (S)", ""), ...study.skips.map((text) => option(text, text)));
  });
})();
