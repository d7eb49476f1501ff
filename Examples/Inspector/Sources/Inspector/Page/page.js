"use strict";

const $ = id => document.getElementById(id), limit = 1000;

/** An element. Strings among its children become text: nothing from the program is parsed as markup. */
function h(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter(child => child != null && child !== ""));
  return element;
}

// MARK: Parts of rows

let list = { objects: [], observations: [], more: 0 }, objects = new Map(), observes, observed;

/** An object by its name, with a dim address; it leads to its graph if it is listed, unless in a row to select. */
function objectName(name, isLink = true) {
  const [, type, address] = /^(.*)@([0-9a-f]+)$/s.exec(name) ?? [];
  if (!address) return h("span", {}, name);
  const known = objects.get(address), parts = [known?.label ? `${type} “${known.label}”` : type,
    h("span", { className: "dim" }, "@" + address)];
  return known && isLink ? h("a", { className: "object", href: "#graph/" + address }, ...parts) : h("span", {}, ...parts);
}

const cell = (...children) => h("td", {}, ...children), code = text => h("code", {}, text ?? "");
const object = id => objects.has(id) ? objectName(objects.get(id).name) : h("span", { className: "dim" }, "(gone)");
const shortPlace = place => h("span", { className: "place", title: place ?? "" }, place?.split("/").pop() ?? "");

/** Makes the children of `parent` those of `items`. Those whose item is the same stay, or are updated if they can. */
function sync(parent, items, make, keyOf = JSON.stringify) {
  const old = new Map([...parent.children].map(child => [child.key, child])), seen = new Map();
  const children = items.map(item => {
    const text = keyOf(item), count = seen.get(text) ?? 0, key = text + count;
    seen.set(text, count + 1);
    const child = old.get(key) ?? Object.assign(make(item), { key });
    child.update?.(item);
    return child;
  });
  const isSame = children.length === parent.children.length && children.every((child, i) => child === parent.children[i]);
  if (!isSame) parent.replaceChildren(...children);
  applyFilter(parent.children);
}

function applyFilter(children) {
  const words = $("filter").value.toLowerCase();
  for (const child of children) child.hidden = words !== "" && !child.textContent.toLowerCase().includes(words);
}

// MARK: Observations, graph and outlived objects

const texts = new Map();
let isAsking = false;

/** The JSON at a path; nothing if it has not changed. */
async function load(path) {
  const response = await fetch(path), text = await response.text();
  if (!response.ok) throw Error(JSON.parse(text).error.message);
  if (texts.get(path) === text) return undefined;
  texts.set(path, text);
  return JSON.parse(text);
}

async function refresh() {
  if (isAsking) return;
  isAsking = true;
  const timer = setTimeout(() => say("No answer yet: objects are read on the main actor, which seems to be busy."), 2000);
  try {
    const [observations, outlived] = await Promise.all([load("observations"), load("outlived")]);
    if (observations) showObservations(observations);
    if (outlived) showOutlived(outlived);
    if (location.hash.startsWith("#graph/")) await refreshGraph();
    say("");
  } catch (error) { say(error instanceof TypeError ? "The program does not answer." : error.message); }
  clearTimeout(timer);
  isAsking = false;
}

function say(text) { $("message").textContent = text; $("message").hidden = text === ""; }

const observationRow = item => h("tr", {}, cell(object(item.observer)), cell(code(item.keyPath)), cell(object(item.object)),
  cell(item.options === "[]" ? "" : item.options, item.context ? h("div", { className: "dim" }, "context " + item.context) : null),
  cell(item.handler), cell(shortPlace(item.place)));

function showObservations(new_) {
  list = new_;
  objects = new Map(list.objects.map(item => [item.id, item]));
  const count = side => list.observations.reduce((map, item) => map.set(item[side], (map.get(item[side]) ?? 0) + 1), new Map());
  [observes, observed] = [count("observer"), count("object")];
  sync($("object-rows"), list.objects, first => {
    const text = h("div", { className: "dim" }), [made, received] = [0, 0].map(() => h("td", { className: "number" }));
    return Object.assign(h("tr", {}, cell(objectName(first.name), text), made, received), { update(item) {
      text.textContent = item.text ?? "";
      [made.textContent, received.textContent] = [observes.get(item.id) ?? "", observed.get(item.id) ?? ""];
    } });
  }, item => item.name + item.label);
  sync($("observation-rows"), list.observations, observationRow);
  $("observation-count").textContent = list.observations.length + list.more;
  $("more").textContent = list.more ? `the first ${list.observations.length}; ${list.more} more are not listed` : "";
}

function showOutlived(items) {
  sync($("outlived-rows"), items, item => h("div", { className: "card" },
    h("h3", {}, objectName(item.object.name), " still exists; its end was expected at ", shortPlace(item.place)),
    item.observations.length ? h("table", {}, h("tbody", {}, ...item.observations.map(observationRow)))
      : h("p", { className: "hint" }, "It has no observations.")));
  if (!items.length) $("outlived-rows").replaceChildren(h("p", { className: "hint" }, "None."));
  $("outlived-count").textContent = items.length || "";
}

async function refreshGraph() {
  const [, id, side] = location.hash.split("/"), path = `graph?object=${id}` + (side ? `&side=${side}` : "");
  const graph = await load(path);
  if (!graph) return;
  $("graph-title").replaceChildren(objectName(graph.object.name, false), " ", h("small", {}, graph.object.text ?? ""));
  $("graph-sides").replaceChildren(...[["observed", "observed by"], ["observer", "observes"]].map(([name, text]) =>
    h("button", { className: graph.side === name ? "current" : "", onclick: () => location.hash = `#graph/${id}/${name}` }, text)));
  $("drawing").replaceChildren(graph.nodes.length ? drawGraph(graph) : h("p", { className: "hint" }, "No observations."));
  $("cycles").replaceChildren(...graph.cycles.map(text => h("p", {}, text)),
    graph.more ? h("p", {}, `${graph.more} more nodes and edges are not drawn.`) : "");
  sync($("graph-rows"), list.observations.filter(item => item.object === id || item.observer === id), observationRow);
}

// MARK: Events

let events = new Map(), waiting = [], snapshots = [], lost = 0, dropped = 0, source;

function follow(isLive) {
  source?.close();
  source = isLive ? new EventSource("events") : undefined;
  if (!source) return;
  source.onopen = () => { events.clear(); waiting = []; snapshots = []; lost = dropped = 0; $("event-rows").replaceChildren(); };
  source.onmessage = message => {
    const batch = JSON.parse(message.data);
    for (const event of batch.events) events.set(event.id, event);
    lost += batch.lost;
    dropped = batch.dropped;
    if (events.size > limit) for (const id of [...events.keys()].slice(0, events.size - limit)) events.delete(id);
    waiting = waiting.concat(batch.events).slice(-limit);
    $("event-count").textContent = lost + dropped ? `${events.size}, ${lost + dropped} dropped` : events.size;
    $("event-count").title = `${dropped} dropped by the recorder, ${lost} by this page`;
    if (batch.counts) showRates(batch.counts);
    requestAnimationFrame(showEvents);
  };
}

/** Adds the rows of new events, while they can be seen: the list is never made anew. */
function showEvents() {
  if (!waiting.length || document.hidden || !$("events").classList.contains("current")) return;
  const scroller = $("event-scroller"), rows = $("event-rows");
  const isAtEnd = scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 40;
  const added = waiting.map(eventRow);
  waiting = [];
  applyFilter(added);
  rows.append(...added);
  while (rows.children.length > limit) rows.firstChild.remove();
  if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
}

const badge = event => h("span", { className: "badge " + event.kind }, event.reason ?? event.kind);

function eventRow(event) {
  const property = code(event.property ?? event.detail);
  property.style.paddingLeft = Math.min(event.depth, 12) * 14 + "px";
  return h("tr", { title: event.text, onclick: clicked => why(event, clicked.currentTarget) },
    h("td", { className: "time" }, event.time.toFixed(3)), cell(badge(event)), cell(property),
    cell(objectName(event.object ?? "", false)), cell(objectName(event.observer ?? "", false)), cell(shortPlace(event.place)));
}

/** Shows what led to an event, back to the one from outside. */
function why(event, row) {
  for (const other of document.querySelectorAll("#event-rows .current")) other.classList.remove("current");
  row.classList.add("current");
  const steps = [];
  for (let step = event, word = ""; step; word = "because ") {
    steps.push(h("div", { className: "step" }, badge(step), " ", word, ...step.text.split(/(\S+@[0-9a-f]+)/).map(part => objectName(part)),
      h("div", { className: "dim" }, `at ${step.time.toFixed(3)} ms on thread ${step.thread}`)));
    const cause = step.cause;
    if (cause == null) steps.push(h("div", { className: "step dim" }, "from outside of any delivery"));
    else if (!events.has(cause)) steps.push(h("div", { className: "step dim" },
      `because of event ${cause}, which is no longer among the last ${limit}`));
    step = events.get(cause);
  }
  $("why").replaceChildren(...steps);
}

/** Shows the means of the last ten seconds, or since the page was opened, from counts that come every second. */
function showRates(counts) {
  snapshots.push({ counts, time: performance.now() });
  if (snapshots.length > 11) snapshots.shift();
  const old = snapshots[0], seconds = (performance.now() - old.time) / 1000 || 1;
  const rates = Object.entries(counts).map(([property, now]) =>
    ({ property, each: now.map((count, i) => (count - (old.counts[property]?.[i] ?? 0)) / seconds) }));
  for (const rate of rates) rate.all = rate.each[0] + rate.each[1];
  const shown = rates.filter(rate => rate.all > 0).sort((a, b) => b.all - a.all).slice(0, 500);
  sync($("rate-rows"), shown, rate => {
    const bar = h("div", {});
    bar.style.width = rate.all / shown[0].all * 100 + "%";
    return h("tr", {}, cell(code(rate.property)), ...rate.each.map(number =>
      h("td", { className: "number" }, number.toFixed(1))), h("td", { className: "bar" }, bar));
  });
}

// MARK: The page

function show() {
  const name = location.hash.slice(1).split("/")[0] || "observations";
  for (const section of document.querySelectorAll("section")) section.classList.toggle("current", section.id === name);
  for (const link of document.querySelectorAll("nav a")) link.classList.toggle("current", link.hash === "#" + name);
  for (const path of texts.keys()) if (path.startsWith("graph")) texts.delete(path);
  showEvents();
  refresh();
}

$("filter").oninput = () => { for (const body of document.querySelectorAll("tbody, #outlived-rows")) applyFilter(body.children); };
$("refresh").onclick = refresh;
$("live").onchange = () => follow($("live").checked);
window.onhashchange = show;
setInterval(() => { if (!document.hidden && $("live").checked) refresh(); }, 1000);
follow(true);
show();
