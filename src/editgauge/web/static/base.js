// What both pages share: elements, messages, requests that are sent until they arrive, zoom.
"use strict";
const Base = (function () {
  const $ = (id) => document.getElementById(id);

  // An element: `text` and `class` by these names, on… as a listener, else properties and attributes.
  function make(tag, facts, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(facts || {})) {
      if (name === "text") node.textContent = value;
      else if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "checked" || name === "disabled" || name === "value") node[name] = value;
      else node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  const button = (text, act, facts) => make("button", Object.assign({ type: "button", text: text, onclick: act }, facts));

  function say(text) {
    $("message").textContent = text || "";
    $("message").hidden = !text;
  }

  const wait = (time) => new Promise((go) => setTimeout(go, time));

  function nonce() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // One request, tried until the server answers; the nonce of a change makes a second one harmless.
  async function ask(path, body, key) {
    const facts = { credentials: "same-origin", cache: "no-store" };
    if (body !== undefined) Object.assign(facts, { method: "POST", headers: { "Content-Type": "application/json", "X-Key": key }, body: JSON.stringify(body) });
    for (let tries = 1, lost = false; ; tries++) {
      try {
        const response = await fetch(path, facts);
        if (response.status !== 429 && response.status < 500) {
          const told = await response.json();
          if (lost) say("");
          return { status: response.status, told: told };
        }
      } catch (error) { /* no connection: again below */ }
      lost = true;
      say("No connection. " + (body ? "What you did is kept here and will be sent again." : "Trying again."));
      await wait(Math.min(5000, 300 * tries));
    }
  }

  // ---- all pictures are zoomed and moved in step; places are fractions of a picture's frame ----

  const zoomed = { scale: 1, x: 0, y: 0 };

  function apply() {
    const root = document.documentElement.style, least = 1 - zoomed.scale;
    zoomed.x = Math.min(0, Math.max(least, zoomed.x));
    zoomed.y = Math.min(0, Math.max(least, zoomed.y));
    root.setProperty("--s", String(zoomed.scale));
    root.setProperty("--x", 100 * zoomed.x + "%");
    root.setProperty("--y", 100 * zoomed.y + "%");
    document.body.classList.toggle("zoomed", zoomed.scale > 1);
  }

  // The point (u, v) stays where it is.
  function zoom(factor, u = 0.5, v = 0.5) {
    const scale = Math.min(16, Math.max(1, zoomed.scale * factor)), real = scale / zoomed.scale;
    zoomed.x = u - (u - zoomed.x) * real;
    zoomed.y = v - (v - zoomed.y) * real;
    zoomed.scale = scale;
    apply();
  }

  function whole() { Object.assign(zoomed, { scale: 1, x: 0, y: 0 }); apply(); }

  function place(view, event) {
    const box = view.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  // Wheel, pinch and drag; while `taken` says so, a drag is somebody else's.
  function movable(view, taken = () => false) {
    const fingers = new Map();
    let start = null, from = null, spread = 0;
    view.addEventListener("wheel", function (event) {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, ...place(view, event));
    }, { passive: false });
    view.addEventListener("pointerdown", function (event) {
      if (event.button || taken()) return;
      view.setPointerCapture(event.pointerId);
      start = place(view, event);
      fingers.set(event.pointerId, start);
      from = [zoomed.x, zoomed.y];
    });
    view.addEventListener("pointermove", function (event) {
      if (!fingers.has(event.pointerId)) return;
      const at = place(view, event);
      fingers.set(event.pointerId, at);
      if (fingers.size === 2) {
        const [a, b] = [...fingers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (spread) zoom(now / spread, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
        spread = now;
      } else if (zoomed.scale > 1) {
        zoomed.x = from[0] + at[0] - start[0];
        zoomed.y = from[1] + at[1] - start[1];
        apply();
      }
    });
    for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, function (event) { fingers.delete(event.pointerId); spread = 0; });
    return view;
  }

  return { $, make, button, say, wait, nonce, ask, zoom, whole, movable };
})();
