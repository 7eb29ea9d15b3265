// A mask over a picture: brush, eraser and box, in the picture's own pixels.
"use strict";
const Paint = (function () {
  const RED = "#ff3b30", KEPT = 64 << 20; // bytes of earlier states that can be brought back
  const canvas = Base.$("canvas");
  const state = { tool: "brush", size: 12, box: null, changed: false, ondraw: () => {} };
  let last = null, past = [];

  const context = () => canvas.getContext("2d", { willReadFrequently: true });
  const pixels = () => context().getImageData(0, 0, canvas.width, canvas.height);

  function changed() {
    state.changed = true;
    state.ondraw();
  }

  // Before every stroke: what was there can be brought back.
  function remember() {
    past.push(pixels());
    while (past.length > 1 && past.length * past[0].data.length > KEPT) past.shift();
  }

  function undo() {
    if (!past.length) return;
    context().putImageData(past.pop(), 0, 0);
    changed();
  }

  function fit(width, height) {
    Object.assign(canvas, { width: width, height: height });
    past = [];
    Object.assign(state, { box: null, changed: false });
  }

  function at(event) {
    const place = canvas.getBoundingClientRect();
    const along = (value, low, size, most) => Math.min(most, Math.max(0, (value - low) * most / size));
    return [along(event.clientX, place.left, place.width, canvas.width), along(event.clientY, place.top, place.height, canvas.height)];
  }

  function stroke(from, to) {
    const c = context();
    c.globalCompositeOperation = state.tool === "eraser" ? "destination-out" : "source-over";
    Object.assign(c, { strokeStyle: RED, lineCap: "round", lineJoin: "round", lineWidth: state.size });
    c.beginPath();
    c.moveTo(...from);
    c.lineTo(to[0] + 0.01, to[1]);
    c.stroke();
    c.globalCompositeOperation = "source-over";
    changed();
  }

  function boxOf([x, y], [u, v]) {
    const [left, top, right, bottom] = [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)].map(Math.round);
    return [left, top, right - left, bottom - top];
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (state.tool === "move" || event.button) return;
    canvas.setPointerCapture(event.pointerId);
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
      state.ondraw();
    }
    last = null;
  });

  // A grey picture becomes the mask: what is 128 and more is marked.
  async function take(blob) {
    const c = context();
    c.drawImage(await createImageBitmap(blob), 0, 0, canvas.width, canvas.height);
    const found = pixels();
    for (let n = 0; n < found.data.length; n += 4) found.data.set([255, 59, 48, found.data[n] >= 128 ? 255 : 0], n);
    c.putImageData(found, 0, 0);
  }

  // The mask as the base64 text of a black and white PNG.
  function png() {
    const other = Base.make("canvas", { width: canvas.width, height: canvas.height }), found = pixels();
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

  // The drawn box becomes part of the mask; whether there is one.
  function fill() {
    if (!state.box) return false;
    remember();
    Object.assign(context(), { fillStyle: RED }).fillRect(...state.box);
    state.box = null;
    changed();
    return true;
  }

  return { state, fit, remember, undo, take, png, clear, fill, changed };
})();
