// A mask over a picture: brush, eraser, polygon and box, in the picture's own pixels.
"use strict";
const Paint = (function () {
  const RED = "#ff3b30", KEPT = 64 << 20; // bytes of earlier states that can be brought back
  const canvas = Base.$("canvas");
  const state = { tool: "brush", size: 12, box: null, changed: false, onbox: null, onchange: null };
  let corners = [], last = null, past = [];

  const context = () => canvas.getContext("2d", { willReadFrequently: true });
  const pixels = () => context().getImageData(0, 0, canvas.width, canvas.height);

  function changed() {
    state.changed = true;
    if (state.onchange) state.onchange();
  }

  // Before every stroke: what was there can be brought back.
  function remember() {
    past.push(pixels());
    while (past.length > 1 && past.length * past[0].data.length > KEPT) past.shift();
  }

  function undo() {
    corners = [];
    if (!past.length) return;
    context().putImageData(past.pop(), 0, 0);
    changed();
  }

  function fit(width, height) {
    Object.assign(canvas, { width: width, height: height });
    corners = [];
    past = [];
    Object.assign(state, { box: null, changed: false });
  }

  function at(event) {
    const place = canvas.getBoundingClientRect();
    return { x: (event.clientX - place.left) * canvas.width / place.width, y: (event.clientY - place.top) * canvas.height / place.height };
  }

  function stroke(from, to) {
    const c = context();
    c.globalCompositeOperation = state.tool === "eraser" ? "destination-out" : "source-over";
    Object.assign(c, { strokeStyle: RED, lineCap: "round", lineJoin: "round", lineWidth: state.size });
    c.beginPath();
    c.moveTo(from.x, from.y);
    c.lineTo(to.x + 0.01, to.y);
    c.stroke();
    c.globalCompositeOperation = "source-over";
    changed();
  }

  function close() {
    if (corners.length > 2) {
      const c = context();
      remember();
      c.fillStyle = RED;
      c.beginPath();
      for (const p of corners) c.lineTo(p.x, p.y);
      c.fill();
      changed();
    }
    corners = [];
  }

  function boxOf(from, to) {
    const x = Math.max(0, Math.round(Math.min(from.x, to.x))), y = Math.max(0, Math.round(Math.min(from.y, to.y)));
    const right = Math.min(canvas.width, Math.round(Math.max(from.x, to.x))), bottom = Math.min(canvas.height, Math.round(Math.max(from.y, to.y)));
    return [x, y, Math.max(0, right - x), Math.max(0, bottom - y)];
  }

  function listen() {
    canvas.addEventListener("pointerdown", (event) => {
      if (state.tool === "move" || event.button) return;
      canvas.setPointerCapture(event.pointerId);
      if (state.tool === "polygon") {
        corners.push(at(event));
        if (event.detail > 1) close();
        return;
      }
      last = at(event);
      if (state.tool === "box") return;
      remember();
      stroke(last, last);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!last || state.tool === "box") return;
      const here = at(event);
      stroke(last, here);
      last = here;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (last && state.tool === "box") {
        state.box = boxOf(last, at(event));
        state.onbox(state.box);
      }
      last = null;
    });
    canvas.addEventListener("dblclick", close);
    canvas.addEventListener("keydown", (event) => { if (event.key === "Enter") close(); });
  }

  function side() {
    const other = document.createElement("canvas");
    Object.assign(other, { width: canvas.width, height: canvas.height });
    return other;
  }

  // A grey picture becomes the mask: what is 128 and more is marked.
  function take(image) {
    const d = side().getContext("2d");
    d.drawImage(image, 0, 0, canvas.width, canvas.height);
    const found = d.getImageData(0, 0, canvas.width, canvas.height);
    for (let n = 0; n < found.data.length; n += 4) found.data.set([255, 59, 48, found.data[n] >= 128 ? 255 : 0], n);
    context().putImageData(found, 0, 0);
  }

  // The mask as the base64 text of a black and white PNG.
  function png() {
    const other = side(), found = pixels();
    for (let n = 0; n < found.data.length; n += 4) {
      const on = found.data[n + 3] >= 128 ? 255 : 0;
      found.data.set([on, on, on, 255], n);
    }
    other.getContext("2d").putImageData(found, 0, 0);
    return other.toDataURL("image/png").split(",")[1];
  }

  function clear() {
    remember();
    context().clearRect(0, 0, canvas.width, canvas.height);
    changed();
  }

  return { state, fit, listen, remember, undo, take, png, clear, close };
})();
