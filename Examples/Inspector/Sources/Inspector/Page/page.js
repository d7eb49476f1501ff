"use strict";
const $ = id => document.getElementById(id), all = selector => document.querySelectorAll(selector), limit = 1000;
const filtered = "tbody, #outlived-rows";

/** An element. Strings among its children become text: nothing from the program is parsed as markup. */
function h(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter(child => child != null && child !== ""));
  return element;
}

let list = { objects: [], observations: [], more: 0 }, objects = new Map(), observes, observed, isAsking = false;
let events = new Map(), waiting = [], snapshots = [], lost = 0, dropped = 0, source, timer;
/** The last answers, by paths: what has not changed is left alone. */
const texts = new Map();

/** An object by its name, with a dim address; it leads to its graph if it is listed, unless in a row to select. */
function objectName(name, isLink = true) {
  const [, type, address] = /^(.*)@([0-9a-f]+)$/s.exec(name) ?? [], known = objects.get(address);
  if (!address) return h("span", {}, name);
  const parts = [known?.label ? `${type} “${known.label}”` : type, h("span", { className: "dim" }, "@" + address)];
  return known && isLink ? h("a", { className: "object", href: "#graph/" + address }, ...parts) : h("span", {}, ...parts);
}

const cell = (...children) => h("td", {}, ...children), number = text => h("td", { className: "number" }, text);
const code = text => h("code", {}, text ?? ""), hint = text => h("p", { className: "hint" }, text);
const object = id => objects.has(id) ? objectName(objects.get(id).name) : h("span", { className: "dim" }, "(gone)");
const badge = event => h("span", { className: "badge " + event.kind }, event.reason ?? event.kind);
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
  if (parent.matches(filtered)) applyFilter(parent.children);
}
function applyFilter(children) {
  const words = $("filter").value.toLowerCase();
  for (const child of children) child.hidden = words !== "" && !child.textContent.toLowerCase().includes(words);
}
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
  const timer = setTimeout(say, 2000, "No answer yet: objects are read on the main actor, which seems to be busy.");
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
const say = text => Object.assign($("message"), { textContent: text, hidden: text === "" });
const observationRow = item => h("tr", {}, cell(object(item.observer)), cell(code(item.keyPath)), cell(object(item.object)),
  cell(item.options === "[]" ? "" : item.options, item.context ? h("div", { className: "dim" }, "context " + item.context) : null),
  cell(item.handler), cell(shortPlace(item.place)));
function showObservations(received) {
  list = received;
  objects = new Map(list.objects.map(item => [item.id, item]));
  [observes, observed] = ["observer", "object"].map(side => Map.groupBy(list.observations, item => item[side]));
  sync($("object-rows"), list.objects, first => {
    const text = h("div", { className: "dim" }), counts = [number(), number()];
    return Object.assign(h("tr", {}, cell(objectName(first.name), text), ...counts), { update(item) {
      text.textContent = item.text ?? "";
      [observes, observed].forEach((map, i) => counts[i].textContent = map.get(item.id)?.length ?? "");
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
      : hint("It has no observations.")));
  if (!items.length) $("outlived-rows").replaceChildren(hint("None."));
  $("outlived-count").textContent = items.length || "";
}
async function refreshGraph() {
  const [, id, side] = location.hash.split("/"), graph = await load(`graph?object=${id}` + (side ? `&side=${side}` : ""));
  if (!graph) return;
  $("graph-title").replaceChildren(objectName(graph.object.name, false), " ", h("small", {}, graph.object.text ?? ""));
  sync($("graph-sides"), ["observed", "observer"].map(side => [id, side, graph.side === side]), ([id, side, isCurrent]) =>
    h("button", { className: isCurrent ? "current" : "", onclick: () => location.hash = `#graph/${id}/${side}` },
      side === "observer" ? "observes" : "observed by"));
  sync($("drawing"), [graph], graph => graph.nodes.length ? drawGraph(graph) : hint("No observations."),
    graph => JSON.stringify([graph.nodes, graph.edges]));
  $("cycles").replaceChildren(...graph.cycles.map(text => h("p", {}, text)),
    graph.more ? h("p", {}, `${graph.more} more nodes and edges are not drawn.`) : "");
  sync($("graph-rows"), (graph.side === "observer" ? observes : observed).get(id) ?? [], observationRow);
}
function follow(isLive) {
  source?.close();
  if (!isLive) return;
  source = new EventSource("events");
  source.onopen = () => { events.clear(); waiting = []; snapshots = []; lost = 0; $("event-rows").replaceChildren(); };
  source.onmessage = message => {
    const batch = JSON.parse(message.data);
    for (const event of batch.events) events.set(event.id, event);
    for (const id of [...events.keys()].slice(0, Math.max(events.size - limit, 0))) events.delete(id);
    waiting = waiting.concat(batch.events).slice(-limit);
    [lost, dropped] = [lost + batch.lost, batch.dropped];
    Object.assign($("event-count"), { textContent: events.size + (lost + dropped ? `, ${lost + dropped} dropped` : ""),
      title: `${dropped} dropped by the recorder, ${lost} by this page` });
    if (batch.counts) showRates(batch.counts);
    timer ??= setTimeout(showEvents, 400);  // thousands of rows in a second take time to lay out
  };
}

/** Adds the rows of new events, while they can be seen: the list is never made anew. */
function showEvents() {
  timer = undefined;
  if (!waiting.length || document.hidden || !$("events").classList.contains("current")) return;
  const scroller = $("event-scroller"), rows = $("event-rows"), added = waiting.map(eventRow);
  const isAtEnd = scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 40;
  waiting = [];
  applyFilter(added);
  rows.append(...added);
  while (rows.children.length > limit) rows.firstChild.remove();
  if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
}
function eventRow(event) {
  const property = code(event.property ?? event.detail);
  property.style.paddingLeft = Math.min(event.depth, 12) * 14 + "px";
  return h("tr", { title: event.text, onclick: clicked => why(event, clicked.currentTarget) },
    h("td", { className: "time" }, event.time.toFixed(3)), cell(badge(event)), cell(property),
    cell(objectName(event.object ?? "", false)), cell(objectName(event.observer ?? "", false)), cell(shortPlace(event.place)));
}

/** Shows what led to an event, back to the one from outside. */
function why(event, row) {
  for (const other of all("#event-rows .current")) other.classList.remove("current");
  row.classList.add("current");
  const steps = [], step = (...parts) => steps.push(h("div", { className: "step" }, ...parts));
  for (let at = event, word = ""; at; at = events.get(at.cause), word = "because ") {
    step(badge(at), " ", word, ...at.text.split(/(\S+@[0-9a-f]+)/).map(part => objectName(part)),
      h("div", { className: "dim" }, `at ${at.time.toFixed(3)} ms on thread ${at.thread}`));
    if (at.cause == null) step("from outside of any delivery");
    else if (!events.has(at.cause)) step(`because of event ${at.cause}, which is no longer among the last ${limit}`);
  }
  $("why").replaceChildren(...steps);
}

/** Shows the means of the last ten seconds, or since the page was opened, from counts that come every second. */
function showRates(counts) {
  snapshots = [...snapshots, { counts, time: performance.now() }].slice(-11);
  const old = snapshots[0], seconds = (performance.now() - old.time) / 1000 || 1;
  const rates = Object.entries(counts).map(([property, now]) => {
    const each = now.map((count, i) => (count - (old.counts[property]?.[i] ?? 0)) / seconds);
    return { property, each, all: each[0] + each[1] };
  }).filter(rate => rate.all > 0).sort((a, b) => b.all - a.all).slice(0, 500);
  sync($("rate-rows"), rates, rate => {
    const bar = h("div", {});
    bar.style.width = rate.all / rates[0].all * 100 + "%";
    return h("tr", {}, cell(code(rate.property)), ...rate.each.map(each => number(each.toFixed(1))), cell(bar));
  });
}

function show() {
  const name = location.hash.slice(1).split("/")[0] || "observations";
  for (const section of all("section")) section.classList.toggle("current", section.id === name);
  for (const link of all("nav a")) link.classList.toggle("current", link.hash === "#" + name);
  for (const path of texts.keys()) if (path.startsWith("graph")) texts.delete(path);
  showEvents();
  refresh();
}

$("filter").oninput = () => { for (const body of all(filtered)) applyFilter(body.children); };
$("refresh").onclick = refresh;
$("live").onchange = () => follow($("live").checked);
window.onhashchange = show;
setInterval(() => { if (!document.hidden && $("live").checked) refresh(); }, 1000);
follow(true);
show();
