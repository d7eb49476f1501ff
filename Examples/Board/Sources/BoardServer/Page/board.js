// The page of the board. `List.cards` mirrors the server's window of a column and is changed by
// events alone; an edit that no event has confirmed only decorates, hides or floats a node.

const lists = new Map(), cards = new Map(); // by the name of the column, and by id
let client, edited, dragged, drop, searching = '', order = 'manual', last = Promise.resolve();

const $ = (selector, node = document) => node.querySelector(selector);
const clone = id => $(id).content.firstElementChild.cloneNode(true);

// Changes the text node in place, and only where it differs.
function setText(node, text) {
  if (node === edited || node.textContent === text) return;
  (node.firstChild ?? node.appendChild(new Text())).data = text;
  const hue = [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
  if (node.matches('.person, #people *')) node.style.setProperty('--hue', hue);
}

class Card {
  edits = []; // made here, each until an event shows it: { values, to, isRemoval, isSaved }
  list = null; // the list that has it; null outside of every window
  node = clone('#card-template');
  constructor(data) { Object.assign(this, { data }).node.card = this; }
  get shown() { return Object.assign({}, this.data, ...this.edits.map(edit => edit.values)); }
  get target() { return this.edits.findLast(edit => edit.to)?.to; }
  isIn(list) { return this.list === list && this.node.parentNode === list.node && !this.target; }

  // Shows what an event says. That ends the edits that are saved; the others end with their answer.
  update(data, list) {
    for (const edit of this.edits) edit.isOvertaken = true;
    Object.assign(this, { data, list, edits: this.edits.filter(edit => !edit.isSaved) }).show();
  }

  show() {
    const { node, shown } = this;
    for (const field of ['title', 'assignee', 'estimate']) {
      setText($(`[data-field=${field}]`, node), String(shown[field]));
    }
    $('.done', node).checked = shown.isDone;
    if (shown.id && node.dataset.id !== shown.id) node.dataset.id = shown.id;
    node.classList.toggle('is-done', shown.isDone);
    node.classList.toggle('pending', this.edits.some(edit => !edit.isSaved));
    node.toggleAttribute('hidden', this.edits.some(edit => edit.isRemoval));
    node.toggleAttribute('inert', !shown.id);
    this.place();
  }

  place() {
    const { node, target } = this, list = target?.list ?? this.list;
    if (!list) {
      // The event of its new column may come next: it keeps its node until then, and the focus.
      if (!node.contains(document.activeElement)) node.remove();
      const isOver = () => !this.list && !this.edits.length && cards.get(this.data.id) === this;
      return setTimeout(() => isOver() && (node.remove(), cards.delete(this.data.id)), 100);
    }
    const later = target ? [target.before] : list.cards.slice(list.cards.indexOf(this) + 1);
    const next = later.find(card => card?.isIn(list))?.node ?? null;
    let sibling = node.nextElementSibling;
    while (!target && sibling && !sibling.card.isIn(list)) sibling = sibling.nextElementSibling;
    if (node.parentNode === list.node && sibling === next) return;
    // moveBefore keeps the focus and the editing of a title, but takes connected nodes only.
    if (node.isConnected && list.node.moveBefore) list.node.moveBefore(node, next);
    else list.node.insertBefore(node, next);
  }
}

class List {
  cards = []; // as the server lists them
  from = 0; to = 50; // the window that was asked for last, at first the server's own
  section = clone('#column-template');
  node = $('.cards', this.section);
  constructor(name) {
    this.name = this.section.dataset.column = this.node.ariaLabel = name;
    setText($('h2', this.section), name);
    $('.add input', this.section).ariaLabel = `Title of a new card in ${name}`;
    this.node.onscroll = () => this.askForMore();
  }

  // A card that the event of its new column has already moved stays there.
  dismiss(card) { if (card.list === this) Object.assign(card, { list: null }).show(); }

  reset({ total, cards: fresh }) {
    const old = this.cards;
    this.cards = fresh.map(cardFor);
    for (const card of old) if (!this.cards.includes(card)) this.dismiss(card);
    for (let at = fresh.length - 1; at >= 0; at--) this.cards[at].update(fresh[at], this);
    this.showTotal(total);
  }

  apply({ total, removed, inserted, changed }) {
    const moved = new Set(inserted.map(([, data]) => data.id));
    for (const at of removed) {
      const [card] = this.cards.splice(at, 1);
      if (!moved.has(card.data.id)) this.dismiss(card);
    }
    for (const [at, data] of inserted) {
      this.cards.splice(at, 0, cardFor(data));
      this.cards[at].update(data, this);
    }
    for (const [at, data] of changed) this.cards[at].update(data, this);
    this.showTotal(total);
  }

  showTotal(total) {
    this.total = total;
    setText($('[data-total=found]', this.section), String(total));
    requestAnimationFrame(() => this.askForMore());
  }

  // Moves the window, of 1,000 rows at most, when the list is scrolled near to an end of it.
  askForMore() {
    const { scrollTop, scrollHeight, clientHeight } = this.node, { from, to, total } = this;
    const isThere = this.cards.length >= Math.min(to, total) - from;
    const isDown = isThere && to < total && scrollTop + clientHeight > scrollHeight - 600;
    if (!isDown && (from === 0 || scrollTop > 600)) return;
    this.from = isDown ? Math.max(from, to - 950) : Math.max(Math.min(from, total) - 50, 0);
    this.to = isDown ? to + 50 : this.from + to - from;
    post('/view', { window: { column: this.name, from: this.from, to: this.to } });
  }
}

const cardFor = data => cards.get(data.id) ?? cards.set(data.id, new Card(data)).get(data.id);

function connect(person) {
  const source = new EventSource(`/events?person=${encodeURIComponent(person)}`);
  const on = (name, show) => source.addEventListener(name, event => show(JSON.parse(event.data)));
  on('hello', begin);
  on('column', event => lists.get(event.column).reset(event));
  on('change', event => lists.get(event.column).apply(event));
  on('totals', showTotals);
  source.onerror = () => {
    setText($('#connection'), 'Connection lost. Trying again …');
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000, person);
  };
}

function begin({ client: id, columns }) {
  client = document.body.dataset.client = id;
  setText($('#connection'), '');
  if (String(columns) !== String([...lists.keys()])) {
    lists.clear();
    for (const name of columns) lists.set(name, new List(name));
    $('#board').replaceChildren(...Array.from(lists.values(), list => list.section));
  }
  for (const list of lists.values()) Object.assign(list, { from: 0, to: 50 });
  if (searching) search(searching);
  if (order !== 'manual') sort(order);
}

function showTotals({ columns, board, people }) {
  for (const [name, sums] of [['', board], ...Object.entries(columns)]) {
    const node = lists.get(name)?.section ?? $('#bar');
    for (const key in sums) setText($(`[data-total=${key}]`, node), String(sums[key]));
  }
  const list = $('#people');
  while (list.children.length > people.length) list.lastElementChild.remove();
  while (list.children.length < people.length) list.append(document.createElement('li'));
  people.forEach((name, at) => setText(list.children[at], name));
}

function say(text, isError = false) {
  setText($('#status'), text);
  $('#status').classList.toggle('error', isError);
  clearTimeout(say.timer);
  if (text) say.timer = setTimeout(say, 8000, '');
}

// Requests go one after the other, so that the server sees them in the order they were made in.
function post(path, values) {
  return last = last.then(async () => {
    const headers = { 'Content-Type': 'application/json' }, signal = AbortSignal.timeout(15000);
    const body = JSON.stringify({ client, ...values });
    const response = await fetch(path, { method: 'POST', headers, body, signal }).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (response?.ok && answer) return answer;
    say(answer?.error ?? 'The server does not answer.', true);
  });
}

// Shows an edit at once. It ends when an event shows it, or when the server refuses it.
async function edit(card, shown, body) {
  const mine = { ...shown }, show = edits => Object.assign(card, { edits }).show();
  const end = () => show(card.edits.filter(other => other !== mine));
  show([...card.edits, mine]);
  const answer = await post('/edits', body);
  mine.isSaved = true;
  if (!answer || mine.isOvertaken) end(); else show(card.edits);
  setTimeout(end, 1000); // No event comes if the card is outside of the window now.
  return answer;
}

export async function add(column, title) {
  const card = new Card({ title, assignee: '', estimate: 0, isDone: false, column });
  const added = edit(card, { to: { list: lists.get(column) } }, { kind: 'add', column, title });
  card.node.scrollIntoView({ block: 'nearest' });
  const answer = await added;
  if (cards.has(answer?.card)) Object.assign(card, { edits: [] }).show(); // its event made a node
  else if (answer) cards.set(card.data.id = answer.card, card).get(answer.card).show();
}

export const change = (id, values) =>
  edit(cards.get(id), { values }, { kind: 'change', card: id, ...values });
export const move = (id, column, before) => {
  const shown = { values: { column }, to: { list: lists.get(column), before: cards.get(before) } };
  return edit(cards.get(id), shown, { kind: 'move', card: id, column, before });
};
export const remove = id => edit(cards.get(id), { isRemoval: true }, { kind: 'remove', card: id });
export const sort = by => post('/view', { order: order = by });
export const search = text => post('/view', { search: searching = text.trim() });
export const revise = path => post(`/${path}`).then(answer =>
  answer && say(`${path === 'undo' ? 'Undone' : 'Done again'}: ${answer.edits} of your edits.`));

const board = $('#board');
const columnOf = event => lists.get(event.target.closest('.column')?.dataset.column);

function act({ node, shown: { id, column } }, action) {
  const { nextElementSibling: next, previousElementSibling: previous } = node;
  const names = [...lists.keys()], step = { left: -1, right: 1 }[action];
  const side = lists.get(names[names.indexOf(column) + step]);
  if (action === 'remove') $('[data-field=title]', next ?? previous ?? node).focus();
  if (action === 'remove') remove(id);
  else if (side) move(id, side.name, order === 'manual' ? side.cards[0]?.data.id : undefined);
  else if (!step && order !== 'manual') say('Cards are placed in the order “By hand” alone.');
  else if (action === 'up' && previous) move(id, column, previous.card.data.id);
  else if (action === 'down' && next) move(id, column, next.nextElementSibling?.card.data.id);
}

function startEditing(span) {
  edited = Object.assign(span, { old: span.textContent, contentEditable: 'plaintext-only' });
  Object.assign(span, { role: 'textbox' }).closest('.card').draggable = false;
  span.focus();
  getSelection().selectAllChildren(span);
}

function stopEditing(isKept) {
  const { old, dataset: { field } } = edited, text = edited.textContent.trim();
  const { card } = Object.assign(edited.closest('.card'), { draggable: true });
  Object.assign(edited, { contentEditable: 'inherit', role: 'button', textContent: old });
  edited = null;
  card.show();
  if (!isKept || text === old) return;
  change(card.data.id, { [field]: field === 'estimate' && text >= 0 ? Number(text) : text });
}

board.addEventListener('focusout', event => event.target === edited && stopEditing(true));
board.onclick = ({ target }) => {
  const { card } = target.closest('.card') ?? {}, { action, field } = target.dataset;
  if (action) act(card, action);
  if (field && target !== edited) startEditing(target);
  if (target.matches('.done')) change(card.data.id, { isDone: target.checked });
};
board.onsubmit = event => {
  event.preventDefault();
  add(columnOf(event).name, event.target.elements[0].value.trim());
  event.target.reset();
};
onkeydown = event => {
  const node = event.target.closest('.card'), isCommand = event.ctrlKey || event.metaKey;
  const key = event.key.replace('Arrow', '').toLowerCase();
  const near = { up: node?.previousElementSibling, down: node?.nextElementSibling }[key];
  if (edited ? !/^(enter|escape)$/.test(key) : event.target.matches('input:not(.done)')) return;
  if (edited) stopEditing(key === 'enter');
  else if (key === 'z' && isCommand) revise(event.shiftKey ? 'redo' : 'undo');
  else if (node && event.altKey && /^(left|right|up|down)$/.test(key)) act(node.card, key);
  else if (node && key === 'delete') act(node.card, 'remove');
  else if (near) $('[data-field=title]', near).focus();
  else if (event.target.role === 'button' && /^(enter| )$/.test(key)) event.target.click();
  else return;
  event.preventDefault();
};

function showDrop(list, event) {
  event?.preventDefault();
  const isBelow = ({ top, bottom }) => (top + bottom) / 2 > event.clientY;
  const nodes = list && order === 'manual' ? [...list.node.children] : [];
  const before = nodes.find(node => node !== dragged.node && isBelow(node.getBoundingClientRect()));
  drop?.node.classList.remove('drop');
  drop = list && { list, before: before?.card.data.id, node: before ?? list.node };
  drop?.node.classList.add('drop');
}
board.ondragstart = event => {
  dragged = event.target.card;
  event.dataTransfer.setData('text/plain', dragged?.shown.title);
};
board.ondragover = event => dragged && columnOf(event) && showDrop(columnOf(event), event);
board.ondrop = event => {
  event.preventDefault();
  const isMove = order === 'manual' || drop.list.name !== dragged.shown.column;
  if (isMove) move(dragged.data.id, drop.list.name, drop.before);
};
board.ondragend = () => dragged = showDrop();

$('#undo').onclick = () => revise('undo');
$('#redo').onclick = () => revise('redo');
$('#order').onchange = ({ target }) => sort(target.value);
$('#search').oninput = ({ target }) => {
  clearTimeout(target.timer);
  target.timer = setTimeout(search, 150, target.value);
};
const person = new URLSearchParams(location.search).get('person') || localStorage.person;
$('#welcome').onclose = () => connect(localStorage.person = $('#person').value || 'Guest');
if (person) connect(person); else $('#welcome').showModal();
