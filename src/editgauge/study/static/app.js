// One sample after the other: show it, take answers by mouse, touch or keyboard, send them once.
"use strict";
(function () {
  const $ = (id) => document.getElementById(id);
  const make = View.make;
  const PENDING = "editgauge-pending";
  const GRADES = ["good", "fair", "poor"];
  const PAIR = [["a", "A is better"], ["b", "B is better"], ["tie", "tie"], ["both_bad", "both bad"]];
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  let study = null, task = null, answers = {}, output = 0, question = 0, shownAt = 0, nonce = "", busy = false, clock = 0;

  function say(text) {
    $("message").textContent = text || "";
    $("message").hidden = !text;
  }

  function fresh() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function ask(path, body) {
    const facts = { credentials: "same-origin", cache: "no-store" };
    if (body !== undefined) {
      facts.method = "POST";
      facts.headers = { "Content-Type": "application/json", "X-Study-Key": study ? study.key : "" };
      facts.body = JSON.stringify(body);
    }
    const response = await fetch(path, facts);
    const told = await response.json();
    return { status: response.status, told: told };
  }

  const wait = (time) => new Promise((go) => setTimeout(go, time));

  // ---- sending: an answer is kept in the browser until the server has it on its disk ----

  async function deliver(body) {
    localStorage.setItem(PENDING, JSON.stringify(body));
    for (let tries = 0; ; tries++) {
      try {
        const found = await ask("/api/answer", body);
        if (found.status !== 429 && found.status < 500) {
          localStorage.removeItem(PENDING);
          return found;
        }
      } catch (error) { /* no connection: try again below */ }
      say("No connection. Your answer is kept here and will be sent again.");
      await wait(Math.min(5000, 300 * (tries + 1)));
    }
  }

  async function load() {
    let found = null;
    for (let tries = 0; !found; tries++) {
      try { found = await ask("/api/task"); } catch (error) { found = null; }
      if (!found || found.status === 429 || found.status >= 500) {
        say("No connection. Trying again.");
        found = null;
        await wait(Math.min(5000, 300 * (tries + 1)));
      }
    }
    if (found.status !== 200) { busy = false; say(found.told.error); $("main").hidden = true; return; }
    study = found.told;
    const left = localStorage.getItem(PENDING);
    if (left) {
      await deliver(JSON.parse(left));
      return load();
    }
    const figures = study.task ? pictures(study.task) : null;
    if (figures) await loaded(figures);
    busy = false;
    show(figures);
  }

  // Buttons lie below the pictures: they would move under the pointer while pictures come in.
  function loaded(figures) {
    const images = [...figures.given, ...figures.outputs].flatMap((node) => Array.from(node.querySelectorAll("img")));
    return Promise.race([wait(20000), Promise.all(images.map((image) => image.decode().catch(() => null)))]);
  }

  async function send(skip) {
    if (busy || !task || (!skip && !complete())) return;
    busy = true;
    $("send").disabled = true;
    const body = { task: task.id, nonce: nonce, seconds: (performance.now() - shownAt) / 1000, comment: $("comment").value };
    if (skip) body.skip = skip;
    else { body.answers = answers; body.regions = View.state.regions; }
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
    busy = true;
    try {
      const found = await ask("/api/undo", {});
      if (found.status === 200 && !found.told.ok) say("There is nothing to take back.");
      else { await load(); if (found.status !== 200) say(found.told.error); }
    } catch (error) { say("No connection. Try again."); }
    busy = false;
    if (task) mark();
  }

  // ---- showing ----

  function show(figures) {
    say("");
    task = study.task;
    document.title = study.study;
    $("study").textContent = study.study;
    $("bar").max = Math.max(1, study.total);
    $("bar").value = study.done;
    $("count").textContent = study.done + " of " + study.total;
    $("done").hidden = Boolean(task);
    $("main").hidden = !task;
    $("feedback").hidden = true;
    if (!task) return;
    answers = {};
    output = question = 0;
    nonce = fresh();
    shownAt = performance.now();
    View.state.regions = [];
    if (View.state.flicker) View.flicker();
    View.reset();
    $("comment").value = "";
    $("reason").value = "";
    $("training").hidden = !task.training;
    $("instruction").textContent = task.instruction;
    $("hint").textContent = task.hint;
    $("hint").hidden = !task.hint;
    $("mask").hidden = !task.mask;
    $("marking").hidden = !study.labels.length;
    $("given").replaceChildren(...figures.given);
    $("outputs").replaceChildren(...figures.outputs);
    for (const one of study.questions) answers[one.id] = pairwise() ? null : task.outputs.map(() => null);
    restore(task.previous);
    questions();
    View.regions();
    scrollTo(0, 0);
    tick();
  }

  function restore(previous) {
    if (!previous) return;
    $("comment").value = previous.comment || "";
    if (previous.answers) answers = previous.answers;
    View.state.regions = previous.regions || [];
  }

  const pairwise = () => study.mode === "pairwise";

  function pictures(task) {
    const input = task.inputs[0] || "";
    const given = task.inputs.map((url, index) =>
      View.figure(url, task.inputs.length > 1 ? "Input " + (index + 1) : "Input", { slot: -1, mask: index ? "" : task.mask }));
    if (task.reference) given.push(View.figure(task.reference, "Reference", { slot: -1 }));
    const outputs = task.outputs.map((url, slot) => {
      const node = View.figure(url, LETTERS[slot], { slot: slot, input: input, mask: task.mask });
      node.addEventListener("pointerdown", function () { output = slot; mark(); });
      return node;
    });
    return { given: given, outputs: outputs };
  }

  function options() {
    if (pairwise()) return PAIR;
    if (study.mode === "grade") return GRADES.map((word) => [word, word]);
    const most = study.mode === "rank" ? task.outputs.length : 5;
    return Array.from({ length: most }, (_, index) => [index + 1, String(index + 1)]);
  }

  function questions() {
    $("questions").replaceChildren(...study.questions.map(function (one, index) {
      const node = make("section", { class: "question", "data-question": one.id }, [make("h2", { text: one.text })]);
      const row = make("div", { class: "answers" });
      if (pairwise()) row.append(choice(one.id, index, -1, ""));
      else task.outputs.forEach((_, slot) => row.append(choice(one.id, index, slot, LETTERS[slot])));
      node.append(row);
      if (study.mode === "rank") node.append(strip(one.id));
      return node;
    }));
    mark();
  }

  function choice(id, index, slot, letter) {
    const node = make("div", { class: "choice", "data-slot": slot, role: "group", "aria-label": letter || id });
    if (letter) node.append(make("b", { text: letter }));
    for (const [value, text] of options()) {
      const button = make("button", { type: "button", text: text, "data-value": value, "aria-pressed": "false" });
      button.addEventListener("click", function () { question = index; if (slot >= 0) output = slot; set(id, slot, value); });
      node.append(button);
    }
    return node;
  }

  function set(id, slot, value) {
    if (slot < 0) answers[id] = value;
    else answers[id][slot] = value;
    mark();
  }

  function mark() {
    document.querySelectorAll(".question").forEach(function (node, index) {
      const given = answers[node.dataset.question];
      node.classList.toggle("here", index === question);
      node.querySelectorAll(".choice").forEach(function (part) {
        const slot = Number(part.dataset.slot);
        const value = slot < 0 ? given : given[slot];
        part.classList.toggle("here", index === question && slot === output);
        for (const button of part.querySelectorAll("button")) {
          button.setAttribute("aria-pressed", String(value !== null && button.dataset.value === String(value)));
        }
      });
      const chips = node.querySelector(".strip");
      if (chips && !chips.querySelector(".held")) order(chips, given);
    });
    document.querySelectorAll("#outputs figure").forEach((node, slot) => node.classList.toggle("here", slot === output));
    $("send").disabled = busy || !complete();
  }

  function complete() {
    return Object.values(answers).every((given) => (Array.isArray(given) ? given.every((value) => value !== null) : given !== null));
  }

  // ---- a ranking by dragging letters into their order ----

  function strip(id) {
    const node = make("div", { class: "strip", "aria-hidden": "true" }, [make("span", { text: "best" })]);
    task.outputs.forEach((_, slot) => node.append(make("span", { class: "chip", "data-slot": slot, text: LETTERS[slot] })));
    node.append(make("span", { text: "worst" }));
    let held = null;
    node.addEventListener("pointerdown", function (event) {
      held = event.target.closest(".chip");
      if (!held) return;
      node.setPointerCapture(event.pointerId);
      held.classList.add("held");
    });
    node.addEventListener("pointermove", function (event) {
      if (!held) return;
      for (const other of node.querySelectorAll(".chip:not(.held)")) {
        const box = other.getBoundingClientRect(), middle = (box.left + box.right) / 2;
        const before = Boolean(held.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING);
        if (before && event.clientX < middle) { other.before(held); break; }
        if (!before && event.clientX > middle) other.after(held);
      }
    });
    node.addEventListener("pointerup", function () {
      if (!held) return;
      held.classList.remove("held");
      held = null;
      node.querySelectorAll(".chip").forEach((chip, rank) => { answers[id][Number(chip.dataset.slot)] = rank + 1; });
      mark();
    });
    return node;
  }

  function order(chips, given) {
    const last = chips.lastElementChild;
    Array.from(chips.querySelectorAll(".chip"))
      .sort((a, b) => (given[a.dataset.slot] || 99) - (given[b.dataset.slot] || 99) || a.dataset.slot - b.dataset.slot)
      .forEach((chip) => last.before(chip));
  }

  function tick() {
    clearInterval(clock);
    $("clock").hidden = !study.limit;
    if (!study.limit) return;
    const write = function () {
      const left = Math.max(0, Math.round(study.limit - (performance.now() - shownAt) / 1000));
      $("clock").textContent = left ? left + " s" : "time is up: please answer now";
    };
    write();
    clock = setInterval(write, 1000);
  }

  // ---- keyboard ----

  function number(value) {
    const one = study.questions[question], found = options()[value - 1];
    if (!found) return;
    set(one.id, pairwise() ? -1 : output, found[0]);
    if (pairwise() || output === task.outputs.length - 1) {
      if (question < study.questions.length - 1) { question += 1; output = 0; }
    } else output += 1;
    mark();
  }

  function move(outputs, ask) {
    output = Math.min(task.outputs.length - 1, Math.max(0, output + outputs));
    question = Math.min(study.questions.length - 1, Math.max(0, question + ask));
    mark();
  }

  const KEYS = {
    ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, -1), ArrowDown: () => move(0, 1),
    u: undo, f: View.flicker, m: () => task.mask && View.mask(), s: () => $("reason").focus(), c: () => $("comment").focus(),
    "+": () => View.zoom(1.25, 0.5, 0.5), "-": () => View.zoom(0.8, 0.5, 0.5), "0": View.reset, "?": help,
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

  $("send").addEventListener("click", () => send());
  $("undo").addEventListener("click", undo);
  $("help").addEventListener("click", help);
  $("skip").addEventListener("click", function () {
    if ($("reason").value) send($("reason").value);
    else say("Choose why you skip this one.");
  });
  $("in").addEventListener("click", () => View.zoom(1.25, 0.5, 0.5));
  $("out").addEventListener("click", () => View.zoom(0.8, 0.5, 0.5));
  $("reset").addEventListener("click", View.reset);
  $("flicker").addEventListener("click", View.flicker);
  $("mask").addEventListener("click", View.mask);
  $("mark").addEventListener("click", View.marking);
  $("onwards").addEventListener("click", load);

  load().then(function () {
    if (!study) return;
    const option = (text, value) => make("option", { value: value, text: text });
    $("reason").replaceChildren(option("Why skip? (S)", ""), ...study.skips.map((text) => option(text, text)));
    $("label").replaceChildren(...study.labels.map((text) => option(text, text)));
  });
})();
