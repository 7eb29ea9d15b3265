// Pictures: zoom and pan in step, flicker against the input, outline of the area, marked regions.
"use strict";
const View = (function () {
  const state = { scale: 1, x: 0, y: 0, flicker: 0, mask: false, marking: false, regions: [], changed: null };
  const root = document.documentElement;

  function make(tag, facts, children) {
    const node = document.createElement(tag);
    for (const name of Object.keys(facts || {})) {
      if (name === "text") node.textContent = facts[name];
      else if (name === "class") node.className = facts[name];
      else node.setAttribute(name, facts[name]);
    }
    for (const child of children || []) node.append(child);
    return node;
  }

  function apply() {
    const least = 1 - state.scale;
    state.x = Math.min(0, Math.max(least, state.x));
    state.y = Math.min(0, Math.max(least, state.y));
    root.style.setProperty("--s", String(state.scale));
    root.style.setProperty("--x", 100 * state.x + "%");
    root.style.setProperty("--y", 100 * state.y + "%");
    document.body.classList.toggle("zoomed", state.scale > 1);
  }

  // Zoom so that the point (u, v), in fractions of the frame, stays where it is.
  function zoom(factor, u, v) {
    const scale = Math.min(16, Math.max(1, state.scale * factor));
    const real = scale / state.scale;
    state.x = u - (u - state.x) * real;
    state.y = v - (v - state.y) * real;
    state.scale = scale;
    apply();
  }

  function reset() { state.scale = 1; state.x = 0; state.y = 0; apply(); }

  function place(view, event) {
    const box = view.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  // From the frame to the picture below it, both in fractions.
  function onPicture(point) {
    const cut = (value) => Math.min(1, Math.max(0, value));
    return [cut((point[0] - state.x) / state.scale), cut((point[1] - state.y) / state.scale)];
  }

  function listen(view, slot) {
    const fingers = new Map();
    let start = null, from = null, spread = 0;
    view.addEventListener("wheel", function (event) {
      event.preventDefault();
      const at = place(view, event);
      zoom(event.deltaY < 0 ? 1.25 : 0.8, at[0], at[1]);
    }, { passive: false });
    view.addEventListener("pointerdown", function (event) {
      if (event.button) return;
      view.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, place(view, event));
      start = place(view, event);
      from = [state.x, state.y];
    });
    view.addEventListener("pointermove", function (event) {
      if (!fingers.has(event.pointerId)) return;
      const at = place(view, event);
      fingers.set(event.pointerId, at);
      if (fingers.size === 2) {
        const [a, b] = Array.from(fingers.values());
        const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (spread) zoom(now / spread, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
        spread = now;
      } else if (state.marking && slot >= 0) {
        draft(view, onPicture(start), onPicture(at));
      } else if (state.scale > 1) {
        state.x = from[0] + at[0] - start[0];
        state.y = from[1] + at[1] - start[1];
        apply();
      }
    });
    function up(event) {
      if (!fingers.delete(event.pointerId)) return;
      spread = 0;
      if (state.marking && slot >= 0 && start) finish(slot, onPicture(start), onPicture(place(view, event)));
      start = null;
    }
    view.addEventListener("pointerup", up);
    view.addEventListener("pointercancel", function (event) { fingers.delete(event.pointerId); spread = 0; });
  }

  function corners(a, b) {
    return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  }

  function boxed(node, box) {
    node.style.left = 100 * box[0] + "%";
    node.style.top = 100 * box[1] + "%";
    node.style.width = 100 * (box[2] - box[0]) + "%";
    node.style.height = 100 * (box[3] - box[1]) + "%";
    return node;
  }

  function draft(view, a, b) {
    let node = view.querySelector(".draft");
    if (!node) {
      node = make("div", { class: "box draft" });
      view.querySelector(".layer").append(node);
    }
    boxed(node, corners(a, b));
  }

  function finish(slot, a, b) {
    const box = corners(a, b);
    if (box[2] - box[0] > 0.005 && box[3] - box[1] > 0.005) {
      state.regions.push({ slot: slot, label: document.getElementById("label").value, box: box });
    }
    regions();
  }

  function regions() {
    for (const node of document.querySelectorAll(".box, .regions li")) node.remove();
    state.regions.forEach(function (region, index) {
      const figure = document.querySelector('figure[data-slot="' + region.slot + '"]');
      if (!figure) return;
      figure.querySelector(".layer").append(boxed(make("div", { class: "box", title: region.label }), region.box));
      const remove = make("button", { type: "button", text: "×", "aria-label": "remove " + region.label });
      remove.addEventListener("click", function () { state.regions.splice(index, 1); regions(); });
      figure.querySelector(".regions").append(make("li", {}, [remove, " " + region.label]));
    });
    if (state.changed) state.changed();
  }

  function figure(url, title, more) {
    const layer = make("div", { class: "layer" }, [make("img", { src: url, alt: title, draggable: "false" })]);
    if (more.input) layer.append(make("img", { src: more.input, class: "over input", alt: "", draggable: "false" }));
    if (more.mask) layer.append(make("img", { src: more.mask, class: "over mask", alt: "", draggable: "false" }));
    const view = make("div", { class: "view" + (more.slot >= 0 ? " output" : "") }, [layer]);
    const node = make("figure", {}, [make("figcaption", { text: title }), view]);
    if (more.slot >= 0) {
      node.dataset.slot = String(more.slot);
      node.append(make("ul", { class: "regions" }));
    }
    listen(view, more.slot);
    return node;
  }

  function press(id, on) { document.getElementById(id).setAttribute("aria-pressed", String(on)); }

  function flicker() {
    if (state.flicker) {
      clearInterval(state.flicker);
      state.flicker = 0;
      document.body.classList.remove("showing-input");
    } else {
      document.body.classList.add("showing-input");
      state.flicker = setInterval(function () { document.body.classList.toggle("showing-input"); }, 400);
    }
    press("flicker", Boolean(state.flicker));
  }

  function mask() {
    state.mask = !state.mask;
    document.body.classList.toggle("showing-mask", state.mask);
    press("mask", state.mask);
  }

  function marking() {
    state.marking = !state.marking;
    document.body.classList.toggle("marking", state.marking);
    press("mark", state.marking);
  }

  return { state, make, figure, regions, zoom, reset, flicker, mask, marking };
})();
