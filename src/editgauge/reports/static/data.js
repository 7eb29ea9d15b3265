"use strict";
// Data arrive as scripts that call EG.take(key, value): a page opened from disk may load scripts, not fetch files.
// Everything that comes from data sets, judges or editors goes into the page as text nodes and URLs, never as markup.
const EG = (function () {
  const kept = new Map(), waiting = new Map();
  const MOST = 400, GREAT = 60000; // files in memory; of more samples than this a file is large, and fewer are kept

  function take(key, value) {
    if (waiting.has(key)) waiting.get(key).value = value;
  }

  function load(key, path) {
    if (kept.has(key)) {
      const value = kept.get(key);
      kept.delete(key);
      kept.set(key, value); // the newest stands last
      return Promise.resolve(value);
    }
    if (waiting.has(key)) return waiting.get(key).promise;
    const asked = { value: undefined };
    waiting.set(key, asked);
    asked.promise = new Promise((done, fail) => {
      const script = h("script", { src: path, onload: () => end(asked.value === undefined ? " is damaged" : ""),
        onerror: () => end(" is not there; was the whole folder copied?") });
      function end(fault) {
        script.remove();
        waiting.delete(key);
        if (fault) return fail(new Error(path + fault));
        kept.set(key, asked.value);
        const most = EG.meta && EG.meta.benchmarks.some((one) => one.samples > GREAT) ? 48 : MOST;
        for (const old of kept.keys()) { if (kept.size <= most) break; kept.delete(old); }
        done(asked.value);
      }
      document.head.append(script);
    });
    return asked.promise;
  }

  function bytes(text) {
    const raw = atob(text), out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out;
  }

  // What is packed in a data file, unpacked once.
  function unpacked(holder, name, kind) {
    if (typeof holder[name] === "string") holder[name] = kind ? new kind(bytes(holder[name]).buffer) : bytes(holder[name]);
    return holder[name];
  }

  // h("a", {href: "#/", "aria-label": "x"}, "text", node, [more]): text stays text.
  function h(tag, attributes, ...children) { return filled(document.createElement(tag), attributes, children); }
  function svg(tag, attributes, ...children) { return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children); }

  function filled(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "value" || name === "checked") node[name] = value;
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    add(node, children);
    return node;
  }

  function add(node, child) {
    if (child === null || child === undefined || child === false) return;
    if (Array.isArray(child)) child.forEach((one) => add(node, one));
    else node.append(child instanceof Node ? child : String(child));
  }

  function fill(node, ...children) {
    node.replaceChildren();
    add(node, children);
  }

  // A table that scrolls by itself: heads and rows are lists of cells; a row's first one is its name.
  function table(label, heads, rows, attributes) {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      h("table", attributes, h("caption", {}, label), h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), rest.map((cell) => h("td", {}, cell)))))));
  }

  // The state of a view is its address: "#/browse/mini?e=copy&where=split%3Dreal"
  function parse(hash) {
    const [path, ...query] = hash.replace(/^#\/?/, "").split("?");
    const parts = path.split("/").map((part) => { try { return decodeURIComponent(part); } catch (error) { return part; } });
    return { path: parts, query: new URLSearchParams(query.join("?")) };
  }

  // The variant that is shown is part of every address, so that a link shows what its sender saw.
  function address(path, query) {
    const whole = new URLSearchParams(query || "");
    whole.delete("v");
    if (EG.variant !== EG.meta.variants[0]) whole.set("v", EG.variant);
    const text = whole.toString();
    return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
  }

  // As in the tables an exact half is rounded up; a float that is meant to be one is a hair off it.
  function number(value, digits) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value === Infinity) return "∞";
    if (digits === undefined) digits = Math.abs(value) >= 1000 ? 1 : 3;
    const scaled = Math.abs(value) * 10 ** digits;
    if (scaled >= 1e15) return value.toFixed(digits);
    const text = (Math.floor(scaled + 0.5 + 1e-9 * Math.max(1, scaled)) / 10 ** digits).toFixed(digits);
    return value < 0 && Number(text) !== 0 ? "-" + text : text;
  }

  function interval(one, digits) { return "[" + number(one.low, digits) + ", " + number(one.high, digits) + "]"; }

  // A file for the reader's own disk, made here.
  function save(name, text, kind) {
    const url = URL.createObjectURL(new Blob([text], { type: kind }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  // A cell of a csv file: quoted, and a text that a spreadsheet would run gets an apostrophe.
  function csv(value) {
    let text = String(value);
    if (typeof value === "string" && /^\s*[=+\-@|%]/.test(text)) text = "'" + text;
    return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  return {
    take, load, unpacked, h, svg, fill, table, parse, address, number, interval, save, meta: null, variant: "faithful",
    csv: (rows) => rows.map((row) => row.map(csv).join(",") + "\n").join(""),
    say: (text) => { document.getElementById("said").textContent = text; },
    words: (status) => status.replace(/_/g, " "),
    plural: (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s"),
    find: (name) => EG.meta.benchmarks.find((one) => one.name === name),
    index: (about) => load(about.at + "/index", "data/" + about.at + "/index.js"),
    text: (about) => load(about.at + "/text", "data/" + about.at + "/text.js"),
    column: (about, which) => load(about.at + "/column/" + which, "data/" + about.at + "/column-" + which + ".js").then((found) => {
      unpacked(found, "values", Float32Array);
      unpacked(found, "status");
      return found;
    }),
    detail: (about, position) => {
      const shard = Math.floor(position / about.shard);
      return load(about.at + "/detail/" + shard, "data/" + about.at + "/detail-" + shard
        + ".js").then((found) => found[position - shard * about.shard]);
    }
  };
})();
