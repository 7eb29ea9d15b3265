"use strict";
// Data arrive as scripts that call EG.take(key, value): a page opened from disk may load scripts, not fetch files.
// Everything that comes from data sets, judges or editors goes into the page as text nodes and URLs, never as markup.
var EG = (function () {
  var kept = new Map();
  var waiting = new Map();
  var order = [];
  var MOST = 48; // data files kept in memory; older ones are loaded again when they are looked at

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
        while (order.length > MOST) kept.delete(order.shift());
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

  function address(path, query) {
    var text = query ? query.toString() : "";
    return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
  }

  function number(value, digits) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value === Infinity) return "∞";
    if (digits !== undefined) return value.toFixed(digits); // a table's own digits
    return value.toFixed(Math.abs(value) >= 1000 ? 1 : 3);
  }

  function say(text) { document.getElementById("said").textContent = text; }

  function words(status) { return status.replace(/_/g, " "); }

  return {
    take: take, load: load, bytes: bytes, h: h, fill: fill, parse: parse, address: address, number: number, say: say,
    words: words, meta: null,
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
