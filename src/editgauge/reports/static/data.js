"use strict";
// Data arrive as scripts that call EG.take(key, value): a page opened from disk may load scripts, not fetch files.
// Everything that comes from data sets, judges or editors goes into the page as text nodes and URLs, never as markup.
var EG = (function () {
  var kept = new Map();
  var waiting = new Map();
  var order = [];
  var MOST = 400; // data files kept in memory; older ones are loaded again when they are looked at
  var GREAT = 60000; // samples; above it a file is large, and fewer are kept

  function take(key, value) {
    var asked = waiting.get(key);
    if (asked) asked.value = value;
  }

  function load(key, path) {
    if (kept.has(key)) {
      order.splice(order.indexOf(key), 1);
      order.push(key);
      return Promise.resolve(kept.get(key));
    }
    if (waiting.has(key)) return waiting.get(key).promise;
    var asked = { value: undefined, promise: null };
    asked.promise = new Promise(function (done, fail) {
      var script = document.createElement("script");
      script.src = path;
      script.onload = function () {
        script.remove();
        waiting.delete(key);
        if (asked.value === undefined) return fail(new Error(path + " is damaged"));
        kept.set(key, asked.value);
        order.push(key);
        var most = EG.meta && EG.meta.benchmarks.some(function (one) { return one.samples > GREAT; }) ? 48 : MOST;
        while (order.length > most) kept.delete(order.shift());
        done(asked.value);
      };
      script.onerror = function () {
        script.remove();
        waiting.delete(key);
        fail(new Error(path + " is not there; was the whole folder copied?"));
      };
      document.head.appendChild(script);
    });
    waiting.set(key, asked);
    return asked.promise;
  }

  function bytes(text) {
    var raw = atob(text);
    var out = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out;
  }

  // h("a", {href: "#/", "aria-label": "x"}, "text", node, [more]): text stays text.
  function h(tag, attributes) {
    var node = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      var value = attributes[name];
      if (value === null || value === undefined || value === false) return;
      if (name.slice(0, 2) === "on") node.addEventListener(name.slice(2), value);
      else if (name === "value" || name === "checked") node[name] = value;
      else node.setAttribute(name, value === true ? "" : String(value));
    });
    for (var i = 2; i < arguments.length; i++) add(node, arguments[i]);
    return node;
  }

  function add(node, child) {
    if (child === null || child === undefined || child === false) return;
    if (Array.isArray(child)) child.forEach(function (one) { add(node, one); });
    else node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }

  // Replace what is in a node; children as for h: nodes, texts, lists of them, or nothing.
  function fill(node) {
    node.replaceChildren();
    for (var i = 1; i < arguments.length; i++) add(node, arguments[i]);
  }

  // The state of a view is its address: "#/browse/mini?e=copy&where=split%3Dreal"
  function parse(hash) {
    var text = hash.replace(/^#\/?/, "");
    var cut = text.indexOf("?");
    var path = (cut < 0 ? text : text.slice(0, cut)).split("/").map(function (part) {
      try { return decodeURIComponent(part); } catch (error) { return part; }
    });
    return { path: path, query: new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1)) };
  }

  // The variant that is shown is part of every address, so that a link shows what its sender saw.
  function address(path, query) {
    var whole = new URLSearchParams(query || "");
    whole.delete("v");
    if (EG.meta && EG.variant !== EG.meta.variants[0]) whole.set("v", EG.variant);
    var text = whole.toString();
    return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
  }

  function number(value, digits) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value === Infinity) return "∞";
    if (digits === undefined) digits = Math.abs(value) >= 1000 ? 1 : 3;
    // an exact half is rounded up, as in the tables; a float that is meant to be one is a hair off it
    var scaled = Math.abs(value) * Math.pow(10, digits);
    var whole = Math.floor(scaled + 0.5 + 1e-9 * Math.max(1, scaled));
    var text = scaled < 1e15 ? (whole / Math.pow(10, digits)).toFixed(digits) : value.toFixed(digits);
    return value < 0 && Number(text) !== 0 && scaled < 1e15 ? "-" + text : text;
  }

  // The interval of a number, with as many digits.
  function interval(one, digits) {
    return "[" + number(one.low, digits) + ", " + number(one.high, digits) + "]";
  }

  // What a browser may refuse (a private window): kept for this page only, then.
  var memory = {};
  function remember(name, value) {
    memory[name] = value;
    try { localStorage.setItem("editgauge/" + name, value); } catch (error) { return false; }
    return true;
  }

  function recall(name) {
    if (name in memory) return memory[name];
    try { return localStorage.getItem("editgauge/" + name); } catch (error) { return null; }
  }

  // A file for the reader's own disk, made here.
  function save(name, text, kind) {
    var url = URL.createObjectURL(new Blob([text], { type: kind || "text/plain" }));
    var link = h("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(function () { URL.revokeObjectURL(url); }, 10000);
  }

  // A cell of a csv file: quoted, and a text that a spreadsheet would run gets an apostrophe.
  function csv(value) {
    var text = value === null || value === undefined ? "" : String(value);
    if (typeof value === "string" && /^\s*[=+\-@|%]/.test(text)) text = "'" + text;
    return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  function lines(rows) { return rows.map(function (row) { return row.map(csv).join(","); }).join("\n") + "\n"; }

  function say(text) { document.getElementById("said").textContent = text; }

  function words(status) { return status.replace(/_/g, " "); }

  return {
    take: take, load: load, bytes: bytes, h: h, fill: fill, parse: parse, address: address, number: number, interval: interval, say: say,
    words: words, meta: null, variant: "faithful", remember: remember, recall: recall, save: save, lines: lines,
    find: function (name) {
      var at = EG.meta.benchmarks.findIndex(function (one) { return one.name === name; });
      return at < 0 ? null : { at: at, about: EG.meta.benchmarks[at] };
    },
    index: function (at) { return load(at + "/index", "data/" + at + "/index.js"); },
    study: function (at) { return load(at + "/study", "data/" + at + "/study.js"); },
    text: function (at) { return load(at + "/text", "data/" + at + "/text.js"); },
    column: function (at, which) {
      var key = at + "/column/" + which;
      return load(key, "data/" + at + "/column-" + which + ".js").then(function (found) {
        if (!found.decoded) {
          found.decoded = {
            values: new Float32Array(bytes(found.values).buffer),
            status: bytes(found.status)
          };
          found.values = found.status = null;
        }
        return found.decoded;
      });
    },
    detail: function (at, about, position) {
      var shard = Math.floor(position / about.shards.size);
      return load(at + "/detail/" + shard, "data/" + at + "/detail-" + shard + ".js").then(function (found) {
        return found[position - shard * about.shards.size];
      });
    }
  };
})();
