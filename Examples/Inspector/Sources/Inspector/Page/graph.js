"use strict";
/** An SVG element. Attributes and text come from the program: neither is ever parsed as markup. */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const row = 22, width = text => text.length * 6.9 + 24, short = text => text.length > 60 ? text.slice(0, 59) + "…" : text;
/** The text of an edge on one line: how it observes, and where in the source. */
const caption = edge => short(edge.kind === "stores" ? "." + edge.label : edge.label.split("\n").join(" · "));

/** Draws nodes and edges in layers from left to right: who refers to what. */
function drawGraph({ nodes, edges }) {
  const boxes = new Map(nodes.filter(node => node.owner == null).map(node => [node.id, {
    ...node, name: short(node.name), rows: [], next: new Set(), previous: new Set(), layer: 0, order: node.id }]));
  for (const node of nodes) boxes.get(node.owner)?.rows.push({ ...node, name: short(node.name) });
  const owner = nodes.map(node => node.owner ?? node.id);
  // A controller is drawn behind its observer, which it notifies: that needs no line of its own.
  const drawn = edges.filter(edge => edge.kind !== "notifies");
  for (const edge of drawn) {
    const [from, to] = [boxes.get(owner[edge.from]), boxes.get(owner[edge.to])];
    if (from !== to) { from.next.add(to); to.previous.add(from); }
    if (edge.kind === "owns") from.observes = true;
  }
  place(sorted(layered([...boxes.values()])), drawn, owner);
  return paint([...boxes.values()], drawn, id => boxes.get(owner[id]));
}

/** Gives each box the layer behind the last one that leads to it; edges that close a ring count not. */
function layered(boxes) {
  const isOpen = new Map(), order = [], layers = [];
  const visit = box => {
    isOpen.set(box, true);
    for (const end of [...box.next]) {
      if (!isOpen.has(end)) visit(end);
      if (isOpen.get(end)) box.next.delete(end);
    }
    isOpen.set(box, false);
    order.unshift(box);
  };
  for (const box of boxes.toSorted((a, b) => a.previous.size - b.previous.size)) if (!isOpen.has(box)) visit(box);
  for (const box of order) for (const end of box.next) end.layer = Math.max(end.layer, box.layer + 1);
  for (const box of order) (layers[box.layer] ??= []).push(box);
  return layers;
}

/** Orders each layer by the mean place of the neighbours, to and fro, so that fewer lines cross. */
function sorted(layers) {
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const layer of sweep % 2 ? layers.toReversed() : layers) {
      for (const box of layer) {
        const near = [...(sweep % 2 ? box.next : box.previous)];
        if (near.length) box.order = near.reduce((sum, end) => sum + end.order, 0) / near.length;
      }
      layer.sort((a, b) => a.order - b.order).forEach((box, index) => box.order = index);
    }
  }
  return layers;
}

/** Gives each box its place: a column for each layer, with room for the captions before it. */
function place(layers, edges, owner) {
  const heights = layers.map(layer => layer.reduce((sum, box) => sum + row * (box.rows.length + 1) + 28, 0));
  let x = 10;
  layers.forEach((layer, index) => {
    const texts = edges.filter(edge => layer.some(box => box.id === owner[edge.to])).map(edge => caption(edge).length);
    let y = 10 + (Math.max(...heights) - heights[index]) / 2;
    if (index) x += Math.max(...texts) * 5.4 + 60;
    for (const box of layer) {
      const wide = Math.max(...[box, ...box.rows].map(part => width(part.name)));
      Object.assign(box, { x, y, width: wide, height: row * (box.rows.length + 1) });
      y += box.height + 28;
    }
    x += Math.max(...layer.map(box => box.width));
  });
}

function paint(boxes, edges, owner) {
  const ends = new Map(), right = Math.max(...boxes.map(box => box.x + box.width)) + 70;
  const picture = svg("svg", { width: right, height: Math.max(...boxes.map(box => box.y + box.height)) + 20, role: "img" },
    svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      svg("path", { d: "M0 0L8 4L0 8z", class: "tip" })));
  for (const box of boxes) {
    const { x, y, width, height } = box, isController = box.kind === "controller";
    picture.append(svg("rect", { x, y, width, height, rx: isController ? 11 : 5, class: box.kind }));
    if (!isController) picture.append(svg("rect", { x, y, width, height: row, rx: 5, class: box.observes ? "head observer" : "head" }));
    picture.append(...[box, ...box.rows].map((part, index) => svg("text", { x: x + 10, y: y + row * index + 15,
      class: index || isController ? "" : "title" }, part.name)));
  }
  for (const edge of edges) {
    const [from, to] = [owner(edge.from), owner(edge.to)], text = caption(edge);
    const [y1, y2] = [[from, edge.from], [to, edge.to]].map(([box, id]) =>
      box.y + row * (box.rows.findIndex(part => part.id === id) + 1) + row / 2);
    const isForward = to.layer > from.layer, isSame = to.layer === from.layer;
    const x1 = from.x + (isForward || isSame ? from.width : 0), x2 = to.x + (isForward ? 0 : to.width);
    const reach = isSame ? 40 + Math.abs(y2 - y1) / 6 : Math.max(40, Math.abs(x2 - x1) / 2.2);
    const [c1, c2] = [x1 + (isForward || isSame ? reach : -reach), x2 + (isForward ? -reach : reach)];
    // Captions of lines that end at one place stand above each other.
    const key = `${x2} ${y2}`, above = ends.get(key) ?? 0;
    if (text) ends.set(key, above + 1);
    picture.append(svg("path", { d: `M${x1} ${y1}C${c1} ${y1} ${c2} ${y2} ${x2} ${y2}`, "marker-end": "url(#tip)",
      class: edge.kind + (edge.isStrong ? "" : " weak") },
      svg("title", {}, [edge.kind, edge.label.replace("\n", " "), edge.place].filter(Boolean).join(" "))),
      svg("text", { x: x2 + (isForward ? -10 : 10), y: y2 - 4 - 11 * above, class: "label",
        "text-anchor": isForward ? "end" : "start" }, text));
  }
  return picture;
}
