"use strict";
// Pictures that are enlarged and moved in step: one place and one scale for all panes of a sample. The wheel alone scrolls the page;
// with Ctrl, and as a pinch of a touchpad, it zooms.
var Zoom = (function () {
  var LARGEST = 16;
  var view = { scale: 1, x: 0.5, y: 0.5 }, panes = [];

  function apply() {
    var half = 0.5 / view.scale;
    view.x = Math.min(1 - half, Math.max(half, view.x));
    view.y = Math.min(1 - half, Math.max(half, view.y));
    panes = panes.filter(function (pane) { return pane.isConnected || pane.fresh; });
    panes.forEach(function (pane) {
      pane.fresh = false;
      var inner = pane.firstElementChild;
      var left = (half - view.x) * view.scale * 100, top = (half - view.y) * view.scale * 100;
      inner.style.transform = view.scale === 1 ? "" : "translate(" + left + "%," + top + "%) scale(" + view.scale + ")";
      pane.classList.toggle("zoomed", view.scale > 1);
      pane.classList.toggle("pixels", view.scale >= 4);
    });
    var label = document.getElementById("zoom-now");
    if (label) label.textContent = Math.round(view.scale * 100) + " %";
  }

  // `at`: the point that keeps its place, as shares of the pane.
  function by(factor, at) {
    var next = Math.min(LARGEST, Math.max(1, view.scale * factor));
    at = at || { x: 0.5, y: 0.5 };
    view.x += (at.x - 0.5) * (1 / view.scale - 1 / next);
    view.y += (at.y - 0.5) * (1 / view.scale - 1 / next);
    view.scale = next;
    apply();
  }

  function reset() { view = { scale: 1, x: 0.5, y: 0.5 }; apply(); }

  function place(pane, event) {
    var box = pane.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  }

  // A pane: a node that holds one child, which is what is enlarged.
  function pane(node) {
    var from = null;
    node.classList.add("pane");
    node.fresh = true;
    panes.push(node);
    node.addEventListener("wheel", function (event) {
      if (!event.ctrlKey) return;
      event.preventDefault();
      by(Math.exp(-event.deltaY / 200), place(node, event));
    }, { passive: false });
    node.addEventListener("dblclick", function (event) { by(2, place(node, event)); });
    node.addEventListener("pointerdown", function (event) {
      if (view.scale === 1 || event.button) return;
      from = { x: event.clientX, y: event.clientY };
      node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("pointermove", function (event) {
      if (!from) return;
      var box = node.getBoundingClientRect();
      view.x -= (event.clientX - from.x) / box.width / view.scale;
      view.y -= (event.clientY - from.y) / box.height / view.scale;
      from = { x: event.clientX, y: event.clientY };
      apply();
    });
    ["pointerup", "pointercancel"].forEach(function (name) { node.addEventListener(name, function () { from = null; }); });
    node.addEventListener("dragstart", function (event) { event.preventDefault(); });
    return node;
  }

  return { pane: pane, by: by, reset: reset, apply: apply, scale: function () { return view.scale; },
    clear: function () { panes = []; } };
})();
