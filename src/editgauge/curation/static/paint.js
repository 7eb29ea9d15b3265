// A mask over a picture: brush, eraser, polygon and box, in the picture's own pixels.
"use strict";
const Paint = (function () {
  const canvas = () => document.getElementById("canvas");
  const state = { tool: "brush", size: 12, box: null, corners: [], down: false, last: null, changed: false, onbox: null };

  function context() { return canvas().getContext("2d", { willReadFrequently: true }); }

  function fit(width, height) {
    canvas().width = width;
    canvas().height = height;
    state.corners = [];
    state.box = null;
    state.changed = false;
    context().clearRect(0, 0, width, height);
  }

  function at(event) {
    const place = canvas().getBoundingClientRect();
    return {
      x: (event.clientX - place.left) * canvas().width / place.width,
      y: (event.clientY - place.top) * canvas().height / place.height,
    };
  }

  function stroke(from, to) {
    const c = context();
    c.globalCompositeOperation = state.tool === "eraser" ? "destination-out" : "source-over";
    c.strokeStyle = c.fillStyle = "#ff3b30";
    c.lineCap = c.lineJoin = "round";
    c.lineWidth = state.size;
    c.beginPath();
    c.moveTo(from.x, from.y);
    c.lineTo(to.x + 0.01, to.y);
    c.stroke();
    c.globalCompositeOperation = "source-over";
    state.changed = true;
  }

  function close() {
    if (state.corners.length > 2) {
      const c = context();
      c.fillStyle = "#ff3b30";
      c.beginPath();
      state.corners.forEach((p, n) => (n ? c.lineTo(p.x, p.y) : c.moveTo(p.x, p.y)));
      c.closePath();
      c.fill();
      state.changed = true;
    }
    state.corners = [];
  }

  function boxOf(from, to) {
    const x = Math.max(0, Math.round(Math.min(from.x, to.x))), y = Math.max(0, Math.round(Math.min(from.y, to.y)));
    const right = Math.min(canvas().width, Math.round(Math.max(from.x, to.x)));
    const bottom = Math.min(canvas().height, Math.round(Math.max(from.y, to.y)));
    return [x, y, Math.max(0, right - x), Math.max(0, bottom - y)];
  }

  function listen() {
    canvas().addEventListener("pointerdown", (event) => {
      canvas().setPointerCapture(event.pointerId);
      const here = at(event);
      if (state.tool === "polygon") {
        state.corners.push(here);
        if (event.detail > 1) close();
        return;
      }
      state.down = true;
      state.last = here;
      if (state.tool !== "box") stroke(here, here);
    });
    canvas().addEventListener("pointermove", (event) => {
      if (!state.down || state.tool === "box") return;
      const here = at(event);
      stroke(state.last, here);
      state.last = here;
    });
    canvas().addEventListener("pointerup", (event) => {
      if (state.down && state.tool === "box") {
        state.box = boxOf(state.last, at(event));
        if (state.onbox) state.onbox(state.box);
      }
      state.down = false;
    });
    canvas().addEventListener("dblclick", close);
    canvas().addEventListener("keydown", (event) => { if (event.key === "Enter") close(); });
  }

  // A grey picture becomes the mask: what is 128 and more is marked.
  function take(image) {
    const c = context(), side = document.createElement("canvas");
    side.width = canvas().width;
    side.height = canvas().height;
    const d = side.getContext("2d");
    d.drawImage(image, 0, 0, side.width, side.height);
    const pixels = d.getImageData(0, 0, side.width, side.height);
    for (let n = 0; n < pixels.data.length; n += 4) {
      const on = pixels.data[n] >= 128;
      pixels.data[n] = 255;
      pixels.data[n + 1] = 59;
      pixels.data[n + 2] = 48;
      pixels.data[n + 3] = on ? 255 : 0;
    }
    c.putImageData(pixels, 0, 0);
  }

  // The mask as the base64 text of a black and white PNG.
  function png() {
    const side = document.createElement("canvas");
    side.width = canvas().width;
    side.height = canvas().height;
    const d = side.getContext("2d"), pixels = context().getImageData(0, 0, side.width, side.height);
    for (let n = 0; n < pixels.data.length; n += 4) {
      const on = pixels.data[n + 3] >= 128 ? 255 : 0;
      pixels.data[n] = pixels.data[n + 1] = pixels.data[n + 2] = on;
      pixels.data[n + 3] = 255;
    }
    d.putImageData(pixels, 0, 0);
    return side.toDataURL("image/png").split(",")[1];
  }

  function clear() {
    context().clearRect(0, 0, canvas().width, canvas().height);
    state.changed = true;
  }

  return { state: state, fit: fit, listen: listen, take: take, png: png, clear: clear, close: close };
})();
