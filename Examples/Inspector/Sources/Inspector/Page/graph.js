"use strict";

/** An SVG element. Attributes and text come from the program: neither is ever parsed as markup. */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const row = 22, width = text => text.length * 6.9 + 24, short = text => text.length > 60 ? text.slice(0, 59) + "…" : text;

/** Draws nodes and edges in layers from left to right: who refers to what. */
function drawGraph({ nodes, edges }) {
  const boxes = new Map(nodes.filter(node => node.owner == null).map(node => [node.id, {
    ...node, name: short(node.name), rows: [], next: new Set(), previous: new Set(), layer: 0, order: node.id }]));
  for (const node of nodes) boxes.get(node.owner)?.rows.push({ ...node, name: short(node.name) });
  const owner = nodes.map(node => node.owner ?? node.id);
  // A controller is drawn behind its observer, which it notifies: that needs no line of its own.
  const drawn = edges.filter(edge => edge.kind !== "notifies");
  for (const edge of drawn) {
    const [from, to] = [owner[edge.from], owner[edge.to]];
    if (from !== to) { boxes.get(from).next.add(to); boxes.get(to).previous.add(from); }
    if (edge.kind === "owns") boxes.get(from).observes = true;
  }
  const layers = assignLayers(boxes);
  sortLayers(layers, boxes);
  place(layers, drawn, owner);
  return paint(boxes, drawn, owner);
}

/** Gives each box the layer behind the last one that leads to it; edges that close a ring count not. */
function assignLayers(boxes) {
  const state = new Map(), sorted = [];
  const visit = box => {
    state.set(box, "open");
    for (const id of box.next) {
      const end = boxes.get(id);
      if (!state.has(end)) visit(end);
      if (state.get(end) === "open") box.next.delete(id);
    }
    state.set(box, "done");
    sorted.unshift(box);
  };
  const starts = [...boxes.values()].sort((a, b) => a.previous.size - b.previous.size || a.id - b.id);
  for (const box of starts) if (!state.has(box)) visit(box);
  for (const box of sorted) {
    for (const id of box.next) boxes.get(id).layer = Math.max(boxes.get(id).layer, box.layer + 1);
  }
  const layers = [];
  for (const box of sorted) (layers[box.layer] ??= []).push(box);
  return layers;
}

/** Orders each layer by the mean place of the neighbours, to and fro, so that fewer lines cross. */
function sortLayers(layers, boxes) {
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const layer of sweep % 2 ? layers.toReversed() : layers) {
      for (const box of layer) {
        const near = [...(sweep % 2 ? box.next : box.previous)].map(id => boxes.get(id).order);
        if (near.length) box.order = near.reduce((a, b) => a + b) / near.length;
      }
      layer.sort((a, b) => a.order - b.order).forEach((box, index) => box.order = index);
    }
  }
}

function place(layers, edges, owner) {
  const heights = layers.map(layer => layer.reduce((sum, box) => sum + row * (box.rows.length + 1) + 28, 0));
  // Captions stand before the ends of their lines.
  const gap = layers.map(() => 0);
  for (const edge of edges) {
    const end = layers.findIndex(layer => layer.some(box => box.id === owner[edge.to]));
    if (owner[edge.from] !== owner[edge.to]) gap[end] = Math.max(gap[end], caption(edge).length * 5.4 + 60);
  }
  let x = 10;
  layers.forEach((layer, index) => {
    let y = 10 + (Math.max(...heights) - heights[index]) / 2;
    x += index ? gap[index] : 0;
    for (const box of layer) {
      const wide = Math.max(...[box, ...box.rows].map(part => width(part.name)));
      Object.assign(box, { x, y, width: wide, height: row * (box.rows.length + 1) });
      y += box.height + 28;
    }
    x += Math.max(...layer.map(box => box.width));
  });
}

/** The text of an edge on one line: how it observes, and where in the source. */
function caption(edge) {
  return short(edge.kind === "stores" ? "." + edge.label : edge.label.split("\n").join(" · "));
}

function paint(boxes, edges, owner) {
  const all = [...boxes.values()], ends = new Map();
  const right = Math.max(...all.map(box => box.x + box.width)) + 70;
  const picture = svg("svg", { width: right, height: Math.max(...all.map(box => box.y + box.height)) + 20, role: "img" },
    svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7,
      orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }))));
  for (const box of all) {
    const { x, y, width, height } = box, isController = box.kind === "controller";
    const kind = isController ? "controller" : "", group = svg("g", {});
    if (!isController) group.append(svg("rect", { x, y, width, height: row, rx: 5, class: `head ${box.observes ? "observer" : ""}` }));
    group.prepend(svg("rect", { x, y, width, height, rx: isController ? 11 : 5, class: kind }));
    [box, ...box.rows].forEach((part, index) => group.append(svg("text", { x: x + 10, y: y + row * index + 15,
      class: index || isController ? "" : "title" }, part.name)));
    picture.append(group);
  }
  const port = id => {
    const box = boxes.get(owner[id]), index = box.rows.findIndex(part => part.id === id) + 1;
    return { box, y: box.y + row * index + row / 2 };
  };
  for (const edge of edges) {
    const from = port(edge.from), to = port(edge.to), text = caption(edge);
    const isForward = to.box.layer > from.box.layer, isSame = to.box.layer === from.box.layer;
    const x1 = isForward || isSame ? from.box.x + from.box.width : from.box.x;
    const x2 = isForward ? to.box.x : to.box.x + to.box.width;
    const reach = isSame ? 40 + Math.abs(to.y - from.y) / 6 : Math.max(40, Math.abs(x2 - x1) / 2.2);
    const [c1, c2] = [isForward || isSame ? x1 + reach : x1 - reach, isForward ? x2 - reach : x2 + reach];
    const path = svg("path", { d: `M${x1} ${from.y}C${c1} ${from.y} ${c2} ${to.y} ${x2} ${to.y}`,
      class: `${edge.kind} ${edge.isStrong ? "" : "weak"}`, "marker-end": "url(#tip)" });
    path.append(svg("title", {}, [edge.kind, edge.label.replace("\n", " "), edge.place].filter(Boolean).join(" ")));
    // Captions of lines that end at one place stand above each other.
    const key = `${x2} ${to.y}`, above = ends.get(key) ?? 0;
    if (text) ends.set(key, above + 1);
    picture.append(path, svg("text", { x: isForward ? x2 - 10 : x2 + 10, y: to.y - 4 - 11 * above, class: "label",
      "text-anchor": isForward ? "end" : "start" }, text));
  }
  return picture;
}
