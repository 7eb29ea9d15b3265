"use strict";
// Pictures that are enlarged and moved in step: one place and one scale for all panes of a sample. The wheel alone scrolls the page;
// with Ctrl, and as a pinch of a touchpad, it zooms.
const Zoom = (function () {
  const LARGEST = 16;
  let view = { scale: 1, x: 0.5, y: 0.5 }, panes = [];

  function apply() {
    const half = 0.5 / view.scale, inside = (value) => Math.min(1 - half, Math.max(half, value));
    view.x = inside(view.x);
    view.y = inside(view.y);
    const move = [view.x, view.y].map((value) => (half - value) * view.scale * 100 + "%").join(",");
    panes.forEach((pane) => {
      pane.firstElementChild.style.transform = view.scale === 1 ? "" : "translate(" + move + ") scale(" + view.scale + ")";
      pane.classList.toggle("zoomed", view.scale > 1);
      pane.classList.toggle("pixels", view.scale >= 4);
    });
    const label = document.getElementById("zoom-now");
    if (label) label.textContent = Math.round(view.scale * 100) + " %";
  }

  // `at`: the point that keeps its place, as shares of the pane.
  function by(factor, at = { x: 0.5, y: 0.5 }) {
    const next = Math.min(LARGEST, Math.max(1, view.scale * factor)), gone = 1 / view.scale - 1 / next;
    view = { scale: next, x: view.x + (at.x - 0.5) * gone, y: view.y + (at.y - 0.5) * gone };
    apply();
  }

  function reset() { view = { scale: 1, x: 0.5, y: 0.5 }; apply(); }

  // A pane: a node that holds one child, which is what is enlarged.
  function pane(node) {
    let from = null;
    const place = (event) => {
      const box = node.getBoundingClientRect();
      return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
    };
    node.classList.add("pane");
    panes.push(node);
    node.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      by(Math.exp(-event.deltaY / 200), place(event));
    }, { passive: false });
    node.addEventListener("dblclick", (event) => by(2, place(event)));
    node.addEventListener("pointerdown", (event) => {
      if (view.scale === 1 || event.button) return;
      from = place(event);
      node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", (event) => {
      if (!from) return;
      const now = place(event);
      view.x -= (now.x - from.x) / view.scale;
      view.y -= (now.y - from.y) / view.scale;
      from = now;
      apply();
    });
    for (const name of ["pointerup", "pointercancel"]) node.addEventListener(name, () => { from = null; });
    node.addEventListener("dragstart", (event) => event.preventDefault());
    return node;
  }

  return { pane, by, reset, apply, clear: () => { panes = []; } };
})();
