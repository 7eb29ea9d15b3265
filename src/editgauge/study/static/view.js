// Pictures of a study: flicker against the input, outline of the area, marked regions.
"use strict";
const View = (function () {
  const { $, make, button, zoomable } = Base;
  const state = { flicker: 0, marking: false, regions: [] };

  const corners = (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];

  function boxed(node, box) {
    const percent = (value) => 100 * value + "%";
    Object.assign(node.style, { left: percent(box[0]), top: percent(box[1]), width: percent(box[2] - box[0]), height: percent(box[3] - box[1]) });
    return node;
  }

  function draft(view, a, b) {
    const node = view.querySelector(".draft") || make("div", { class: "box draft" });
    view.querySelector(".layer").append(boxed(node, corners(a, b)));
  }

  function finish(slot, a, b) {
    const box = corners(a, b);
    if (box[2] - box[0] > 0.005 && box[3] - box[1] > 0.005) state.regions.push({ slot: slot, label: $("label").value, box: box });
    regions();
  }

  function regions() {
    for (const node of document.querySelectorAll(".box, .regions li")) node.remove();
    state.regions.forEach(function (region, index) {
      const figure = document.querySelector('figure[data-slot="' + region.slot + '"]');
      if (!figure) return;
      figure.querySelector(".layer").append(boxed(make("div", { class: "box", title: region.label }), region.box));
      const remove = button("×", () => { state.regions.splice(index, 1); regions(); }, { "aria-label": "remove " + region.label });
      figure.querySelector(".regions").append(make("li", {}, remove, " " + region.label));
    });
  }

  function figure(url, title, more) {
    const layer = make("div", { class: "layer" }, make("img", { src: url, alt: title, draggable: "false" }));
    if (more.input) layer.append(make("img", { src: more.input, class: "over input", alt: "", draggable: "false" }));
    if (more.mask) layer.append(make("img", { src: more.mask, class: "over mask", alt: "", draggable: "false" }));
    const output = more.slot >= 0, view = make("div", { class: output ? "view output" : "view" }, layer);
    const node = make("figure", {}, make("figcaption", { text: title }), view);
    if (output) {
      node.dataset.slot = String(more.slot);
      node.append(make("ul", { class: "regions" }));
    }
    zoomable(view, { takes: () => state.marking && output, move: (a, b) => draft(view, a, b), done: (a, b) => finish(more.slot, a, b) });
    return node;
  }

  const press = (id, on) => $(id).setAttribute("aria-pressed", String(on));

  function flicker() {
    clearInterval(state.flicker);
    state.flicker = state.flicker ? 0 : setInterval(() => document.body.classList.toggle("showing-input"), 400);
    document.body.classList.toggle("showing-input", Boolean(state.flicker));
    press("flicker", Boolean(state.flicker));
  }

  function mask() { press("mask", document.body.classList.toggle("showing-mask")); }

  function marking() {
    state.marking = document.body.classList.toggle("marking");
    press("mark", state.marking);
  }

  return { state, figure, regions, flicker, mask, marking };
})();
