'use strict';
// Trees: reading, writing, drawing. A tree has tokens {word, tag} and nodes {label, start, end, parent, confidence} in
// pre-order; what is below a node is computed once.

const SVG_NS = 'http://www.w3.org/2000/svg';
const FONT = '"Helvetica Neue", Arial, "DejaVu Sans", sans-serif';
const LEVEL = 52, GAP = 14, MARGIN = 16, DROP = 26;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG_NS, name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function makeTree(tokens, nodes, record) {
  const owners = tokens.map(() => -1);
  nodes.forEach((node, index) => { for (let at = node.start; at < node.end; at++) owners[at] = index; });
  const children = nodes.map(() => []);
  nodes.forEach((node, index) => { if (node.parent != null) children[node.parent].push({ node: index, start: node.start }); });
  owners.forEach((owner, index) => { if (owner >= 0) children[owner].push({ token: index, start: index }); });
  for (const list of children) list.sort((a, b) => a.start - b.start);
  return { tokens, nodes, children, record };
}

function treeOfRecord(record) {
  return makeTree(record.tokens, record.nodes, record);
}

/** Reads all trees of a text in brackets; traces, and what is between trees, are passed over. */
function readBrackets(text) {
  const trees = [];
  const pieces = /\(|\)|[^\s()]+/g;
  let nodes = [], tokens = [], open = [], found, first = 0;
  const unescapes = { '-LRB-': '(', '-RRB-': ')', '-LSB-': '[', '-RSB-': ']', '-LCB-': '{', '-RCB-': '}' };
  while ((found = pieces.exec(text))) {
    const piece = found[0];
    if (piece === '(') {
      if (!open.length) { nodes = []; tokens = []; first = found.index; }
      open.push({ label: null, words: [], at: nodes.length, start: tokens.length, hasPhrases: false });
      const above = open[open.length - 2];
      if (above) above.hasPhrases = true;
      nodes.push(null);
    } else if (piece === ')') {
      const it = open.pop();
      if (!it) continue;
      if (!it.hasPhrases && it.words.length) {
        // A token: it takes back the place among the phrases.
        nodes.splice(it.at, 1);
        const word = it.words.join(' ');
        if (it.label !== '-NONE-') tokens.push({ tag: it.label || '', word: unescapes[word] || word });
      } else {
        nodes[it.at] = { label: it.label || '', start: it.start, end: tokens.length, parent: null, confidence: null };
      }
      if (!open.length) {
        const tree = finishTree(tokens, nodes.filter(Boolean));
        tree.source = text.slice(first, found.index + 1);
        if (tree.tokens.length) trees.push(tree);
      }
    } else if (open.length) {
      const it = open[open.length - 1];
      const follows = text[found.index - 1] === '(';
      if (it.label === null && follows) it.label = piece; else it.words.push(piece);
    }
  }
  return trees;
}

/** Finds parents by spans: nodes are in pre-order. Empty nodes (of traces) are left out. */
function finishTree(tokens, nodes) {
  const kept = nodes.filter(node => node.end > node.start);
  // A root without a label above one phrase says nothing.
  if (kept.length > 1 && !kept[0].label && kept[1].end === kept[0].end && kept[1].start === kept[0].start) kept.shift();
  const above = [];
  kept.forEach((node, index) => {
    while (above.length && kept[above[above.length - 1]].end < node.end) above.pop();
    while (above.length && kept[above[above.length - 1]].end <= node.start) above.pop();
    node.parent = above.length ? above[above.length - 1] : null;
    above.push(index);
  });
  return makeTree(tokens, kept, null);
}

function escapeWord(word) {
  const escapes = { '(': '-LRB-', ')': '-RRB-' };
  return word.replace(/[()]/g, found => escapes[found]).replace(/\s+/g, '_');
}

function below(tree, node, ofNode, ofToken) {
  return tree.children[node].map(child => child.node != null ? ofNode(child.node) : ofToken(tree.tokens[child.token])).join(' ');
}

function brackets(tree) {
  const token = it => `(${it.tag || 'X'} ${escapeWord(it.word)})`;
  const node = index => `(${tree.nodes[index].label} ${below(tree, index, node, token)})`;
  return tree.nodes.length ? node(0) : '()';
}

function latex(tree) {
  const clean = text => '{' + text.replace(/[\\{}$&#_%^~]/g, found => ({ '\\': '\\textbackslash{}', '^': '\\textasciicircum{}', '~': '\\textasciitilde{}' })[found] || '\\' + found) + '}';
  const token = it => `[${clean(it.tag)} [${clean(it.word)}]]`;
  const node = index => `[${clean(tree.nodes[index].label)} ${below(tree, index, node, token)}]`;
  return '% needs \\usepackage{forest}\n\\begin{forest}\n' + (tree.nodes.length ? node(0) : '[]') + '\n\\end{forest}\n';
}

/** The brackets of a tree as a bag of keys, the root left out. */
function bracketBag(tree) {
  const bag = new Map();
  tree.nodes.forEach((node, index) => {
    if (isRoot(node)) return;
    const key = bracketKey(node);
    bag.set(key, (bag.get(key) || []).concat(index));
  });
  return bag;
}

const isRoot = node => node.parent == null && ['', 'TOP', 'ROOT', 'S1', 'VROOT'].includes(node.label);
const bracketKey = node => `${node.label.replace(/[-=].*$/, '') || node.label} ${node.start} ${node.end}`;

/** The nodes of a tree that another lacks. */
function nodesNotIn(tree, other) {
  const bag = bracketBag(other), missing = new Set();
  for (const [key, nodes] of bracketBag(tree)) {
    const num = (bag.get(key) || []).length;
    nodes.slice(num).forEach(node => missing.add(node));
  }
  return missing;
}

const measuring = document.createElement('canvas').getContext('2d');
function widthOf(text, size, isBold) {
  measuring.font = `${isBold ? '600 ' : ''}${size}px ${FONT}`;
  return measuring.measureText(text).width;
}

const textOf = (tree, node) => tree.tokens.slice(node.start, node.end).map(token => token.word).join(' ');

function shortened(text, length) {
  return text.length > length ? text.slice(0, length - 1) + '…' : text;
}

/** Where everything stands: x and y of nodes and tokens; what is below a collapsed node stands nowhere. */
function layOut(tree, collapsed) {
  const nodes = tree.nodes.map(() => null), tokens = tree.tokens.map(() => null);
  let depth = 0;
  const place = (index, left, level) => {
    depth = Math.max(depth, level);
    const node = tree.nodes[index];
    const own = widthOf(node.label || '•', 15, true) + GAP;
    if (collapsed.has(index)) {
      const text = shortened(textOf(tree, node), 24);
      const width = Math.max(own, widthOf(text, 15) + GAP);
      nodes[index] = { x: left + width / 2, level, width, text };
      return width;
    }
    const widths = tree.children[index].map(child => child.node == null ? tokenWidth(tree.tokens[child.token]) : null);
    let inner = 0;
    const placed = [];
    // Children are placed from the left; if the label is wider than they are, all are moved.
    for (const [at, child] of tree.children[index].entries()) {
      if (child.node != null) inner += place(child.node, left + inner, level + 1);
      else {
        tokens[child.token] = { x: left + inner + widths[at] / 2, level: level + 1 };
        depth = Math.max(depth, level + 1);
        inner += widths[at];
      }
      placed.push(child);
    }
    const width = Math.max(own, inner);
    if (width > inner) shift(tree, index, (width - inner) / 2, nodes, tokens);
    const xs = placed.map(child => (child.node != null ? nodes[child.node] : tokens[child.token]).x);
    nodes[index] = { x: xs.length ? (xs[0] + xs[xs.length - 1]) / 2 : left + width / 2, level, width };
    return width;
  };
  const width = tree.nodes.length ? place(0, 0, 0) : 60;
  const y = level => MARGIN + 14 + level * LEVEL;
  return { nodes, tokens, width: width + 2 * MARGIN, height: y(depth) + DROP + MARGIN, y, words: y(depth) + DROP };
}

function shift(tree, index, by, nodes, tokens) {
  for (const child of tree.children[index]) {
    if (child.token != null) { tokens[child.token].x += by; continue; }
    nodes[child.node].x += by;
    if (nodes[child.node].text == null) shift(tree, child.node, by, nodes, tokens);
  }
}

const tokenWidth = token => Math.max(widthOf(token.word, 15), widthOf(token.tag, 13)) + GAP;

function confidenceClass(confidence) {
  if (confidence == null) return '';
  return confidence >= 0.99 ? 'c4' : confidence >= 0.9 ? 'c3' : confidence >= 0.7 ? 'c2' : confidence >= 0.5 ? 'c1' : 'c0';
}

/** Draws a tree. `marks` gives further classes of nodes; `collapsed` is a set of them. */
function drawTree(tree, { collapsed = new Set(), marks = () => '', colours = true } = {}) {
  const at = layOut(tree, collapsed);
  const picture = svg('g', { transform: `translate(${MARGIN} 0)` });
  const lines = svg('g', { 'aria-hidden': 'true' });
  picture.append(lines);
  tree.nodes.forEach((node, index) => {
    const here = at.nodes[index];
    if (!here) return;
    const y = at.y(here.level);
    for (const child of here.text == null ? tree.children[index] : []) {
      const there = child.node != null ? at.nodes[child.node] : at.tokens[child.token];
      if (there) lines.append(svg('path', { class: 'branch', d: `M${here.x} ${y + 6}L${there.x} ${at.y(there.level) - 15}` }));
    }
    const label = node.label || '•', width = widthOf(label, 15, true) + 10;
    const group = svg('g', { class: `node ${colours ? confidenceClass(node.confidence) : ''} ${marks(index)}`, 'data-node': index,
      role: 'treeitem', tabindex: index === 0 ? '0' : '-1', 'aria-level': here.level + 1, 'aria-label': spoken(tree, node, marks(index)),
      'aria-expanded': here.text == null ? 'true' : 'false' },
    svg('rect', { class: 'back', x: here.x - width / 2, y: y - 15, width, height: 21, rx: 4 }),
    svg('text', { class: 'label', x: here.x, y }, label));
    if (here.text != null) {
      const half = Math.min(here.width / 2 - 4, 40), foot = at.words - 16;
      lines.append(svg('path', { class: 'branch', d: `M${here.x} ${y + 6}L${here.x - half} ${foot}H${here.x + half}Z` }));
      group.append(svg('text', { x: here.x, y: at.words }, here.text));
    }
    picture.append(group);
  });
  tree.tokens.forEach((token, index) => {
    const here = at.tokens[index];
    if (!here) return;
    const y = at.y(here.level), width = tokenWidth(token) - 4;
    if (at.words - y > DROP + 4) lines.append(svg('line', { class: 'drop', x1: here.x, x2: here.x, y1: y + 6, y2: at.words - 16 }));
    picture.append(svg('g', { class: 'leaf', 'data-token': index },
      svg('rect', { class: 'back', x: here.x - width / 2, y: at.words - 15, width, height: 20, rx: 4 }),
      svg('text', { class: 'tag', x: here.x, y }, token.tag), svg('text', { class: 'word', x: here.x, y: at.words }, token.word)));
  });
  return { picture, width: at.width, height: at.height };
}

function spoken(tree, node, marks) {
  const sure = node.confidence == null ? '' : `, confidence ${node.confidence.toFixed(2)}`;
  const mark = marks.trim() ? `, ${marks.trim()}` : '';
  return `${node.label || 'phrase'}: ${textOf(tree, node)}${sure}${mark}`;
}

/** A drawing as a document by itself, with the colours that it has on the page. */
function svgDocument(tree, options) {
  const { picture, width, height } = drawTree(tree, options);
  const root = svg('svg', { xmlns: SVG_NS, width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${width} ${height}` });
  root.append(svg('title', {}, tree.tokens.map(token => token.word).join(' ')), svg('rect', { width: '100%', height: '100%', fill: '#ffffff' }), picture);
  const fills = { c0: '#b3261e', c1: '#9a5300', c2: '#6f6300', c3: '#2f6d2f', c4: '#1f5a8c' };
  for (const it of root.querySelectorAll('.back')) it.remove();
  for (const it of root.querySelectorAll('text')) {
    const of = Object.keys(fills).find(name => it.classList.contains('label') && it.parentNode.classList.contains(name));
    it.setAttribute('fill', of ? fills[of] : it.classList.contains('tag') ? '#565d66' : '#1d2126');
    it.setAttribute('font-family', FONT);
    it.setAttribute('font-size', it.classList.contains('tag') ? '13' : '15');
    it.setAttribute('text-anchor', 'middle');
    if (it.classList.contains('label')) it.setAttribute('font-weight', '600');
  }
  for (const it of root.querySelectorAll('.branch')) { it.setAttribute('stroke', '#8d96a0'); it.setAttribute('fill', 'none'); }
  for (const it of root.querySelectorAll('.drop')) { it.setAttribute('stroke', '#cdd2d8'); it.setAttribute('stroke-dasharray', '2 3'); }
  for (const it of root.querySelectorAll('*')) for (const name of ['class', 'role', 'tabindex', 'aria-level', 'aria-label', 'aria-expanded', 'aria-hidden', 'data-node', 'data-token']) it.removeAttribute(name);
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(root) + '\n';
}

/** A tree that can be zoomed, moved, walked through and collapsed. */
class TreeView {
  constructor(tree, { marks, collapsed, name, onchoose = () => {}, onhover = () => {}, oncollapse = () => {}, colours = true }) {
    Object.assign(this, { tree, marks, collapsed: collapsed || new Set(), onchoose, onhover, oncollapse, colours });
    this.svg = svg('svg', { role: 'tree', 'aria-label': name });
    this.box = element('div', { class: 'canvas' }, this.svg);
    this.scale = null;
    this.svg.addEventListener('click', event => { if (!this.dragged) this.clicked(event); });
    this.svg.addEventListener('dblclick', event => { const node = this.nodeOf(event); if (node != null) this.toggle(node); });
    this.svg.addEventListener('keydown', event => this.key(event));
    this.svg.addEventListener('pointerover', event => this.hovered(event));
    this.svg.addEventListener('pointerleave', () => { this.light(0, 0); this.onhover(0, 0); });
    this.svg.addEventListener('focusin', event => { const node = this.nodeOf(event); if (node != null) this.hover(node); });
    this.box.addEventListener('wheel', event => { if (event.ctrlKey) { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY); } }, { passive: false });
    this.box.addEventListener('pointerdown', event => this.drag(event));
    this.draw();
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(this.box);
  }

  draw() {
    const { picture, width, height } = drawTree(this.tree, { collapsed: this.collapsed, marks: this.marks, colours: this.colours });
    Object.assign(this, { width, height });
    this.svg.replaceChildren(picture);
    this.look();
  }

  /** Shows all of it, unless it would be too small to read. */
  fit() {
    const room = this.box.clientWidth;
    if (!room) return;
    this.scale = Math.min(1.15, Math.max(0.6, room / this.width));
    this.x = this.width * this.scale < room ? (this.width - room / this.scale) / 2 : 0;
    this.y = 0;
    this.look();
  }

  look() {
    if (this.scale == null) return;
    const room = this.box.clientWidth, height = Math.max(90, Math.min(this.height * Math.min(this.scale, 1.15), window.innerHeight * 0.75));
    this.svg.setAttribute('height', height);
    this.svg.setAttribute('viewBox', `${this.x} ${this.y} ${room / this.scale} ${height / this.scale}`);
  }

  zoom(by, atX = this.box.clientWidth / 2, atY = 0) {
    const scale = Math.min(4, Math.max(0.15, this.scale * by));
    this.x += atX / this.scale - atX / scale;
    this.y += atY / this.scale - atY / scale;
    this.scale = scale;
    this.look();
  }

  drag(event) {
    if (event.button) return;
    this.dragged = false;
    let [x, y] = [event.clientX, event.clientY];
    const move = event => {
      if (Math.abs(event.clientX - x) + Math.abs(event.clientY - y) > 3 || this.dragged) {
        this.dragged = true;
        this.box.classList.add('dragging');
        this.x -= (event.clientX - x) / this.scale;
        this.y -= (event.clientY - y) / this.scale;
        [x, y] = [event.clientX, event.clientY];
        this.look();
      }
    };
    const end = () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
      this.box.classList.remove('dragging');
      setTimeout(() => { this.dragged = false; });
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
  }

  nodeOf(event) {
    const group = event.target.closest('[data-node]');
    return group ? Number(group.dataset.node) : null;
  }

  groupOf(node) { return this.svg.querySelector(`[data-node="${node}"]`); }

  clicked(event) {
    const node = this.nodeOf(event);
    if (node != null) { this.focus(node); this.choose(node); }
  }

  choose(node) {
    this.svg.querySelectorAll('.chosen').forEach(it => it.classList.remove('chosen'));
    const group = this.groupOf(node);
    if (group) group.classList.add('chosen');
    this.onchoose(node);
  }

  toggle(node) {
    if (!this.collapsed.delete(node)) this.collapsed.add(node);
    this.draw();
    this.focus(node);
    this.oncollapse();
  }

  hovered(event) {
    const node = this.nodeOf(event), leaf = event.target.closest('[data-token]');
    if (node != null) this.hover(node);
    else if (leaf) { const at = Number(leaf.dataset.token); this.light(at, at + 1); this.onhover(at, at + 1); }
  }

  hover(node) {
    const { start, end } = this.tree.nodes[node];
    this.light(start, end);
    const group = this.groupOf(node);
    if (group) group.classList.add('lit');
    this.onhover(start, end);
  }

  /** Lights the words of a span, and the phrase that is just this span. */
  light(start, end) {
    this.svg.querySelectorAll('.lit').forEach(it => it.classList.remove('lit'));
    for (const leaf of this.svg.querySelectorAll('[data-token]')) {
      const at = Number(leaf.dataset.token);
      leaf.classList.toggle('lit', start <= at && at < end);
    }
    this.tree.nodes.forEach((node, index) => {
      if (end > start && node.start === start && node.end === end) { const group = this.groupOf(index); if (group) group.classList.add('lit'); }
    });
  }

  focus(node) {
    const group = this.groupOf(node);
    if (!group) return;
    this.svg.querySelectorAll('[data-node]').forEach(it => it.setAttribute('tabindex', '-1'));
    group.setAttribute('tabindex', '0');
    group.focus({ preventScroll: true });
    this.reveal(group);
  }

  /** Moves the drawing so that a node can be seen. */
  reveal(group) {
    const back = group.querySelector('.back'), x = Number(back.getAttribute('x')) + MARGIN, y = Number(back.getAttribute('y'));
    const [width, height] = [this.box.clientWidth / this.scale, this.box.clientHeight / this.scale];
    if (x < this.x) this.x = x - 20; else if (x + 60 > this.x + width) this.x = x + 80 - width;
    if (y < this.y) this.y = y - 10; else if (y + 40 > this.y + height) this.y = y + 50 - height;
    this.look();
  }

  key(event) {
    const node = this.nodeOf(event);
    if (node == null) return;
    const { nodes, children } = this.tree, parent = nodes[node].parent;
    const phrases = of => children[of].filter(child => child.node != null).map(child => child.node);
    const sisters = parent == null ? [node] : phrases(parent), place = sisters.indexOf(node);
    const to = { ArrowUp: parent, ArrowDown: this.collapsed.has(node) ? null : phrases(node)[0], ArrowLeft: sisters[place - 1], ArrowRight: sisters[place + 1], Home: 0 }[event.key];
    if (to != null) this.focus(to);
    else if (event.key === 'Enter') this.choose(node);
    else if (event.key === ' ') this.toggle(node);
    else if (event.key === '+' || event.key === '=') this.zoom(1.2);
    else if (event.key === '-') this.zoom(1 / 1.2);
    else if (event.key === '0') this.fit();
    else if (!['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(event.key)) return;
    event.preventDefault();
  }

  /** Buttons for those who have no wheel. */
  tools() {
    const button = (name, sign, action) => element('button', { type: 'button', 'aria-label': name, title: name, onclick: action }, sign);
    return [button('Larger', '+', () => this.zoom(1.25)), button('Smaller', '−', () => this.zoom(0.8)), button('Fit the whole tree', 'Fit', () => this.fit())];
  }

  close() { this.sizes.disconnect(); }
}
