// The view of treebanks.

const ROWS = 50, MAX_CHUNK = 200000, MAX_CHUNK_TREES = 25;

class TreebankView {
  constructor() {
    const find = id => document.getElementById(id);
    Object.assign(this, { status: find('treebank-status'), body: document.querySelector('#trees tbody'), pair: find('tree-pair'), model: find('eval-model'), order: find('order'), given: find('given'), range: find('range'), earlier: find('earlier'), later: find('later'), evaluate: find('evaluate') });
    Object.assign(this, { trees: [], shown: [], first: 0, name: '', views: [] });
    find('treebank-file').addEventListener('change', event => { if (event.target.files[0]) this.open(event.target.files[0]).catch(complain); });
    this.given.addEventListener('change', () => { if (this.given.value) this.load(this.given.value).catch(complain); });
    find('filters').addEventListener('submit', event => { event.preventDefault(); this.filter().catch(complain); });
    this.order.addEventListener('change', () => this.list());
    this.evaluate.addEventListener('click', () => this.score().catch(complain));
    this.earlier.addEventListener('click', () => this.turn(-ROWS));
    this.later.addEventListener('click', () => this.turn(ROWS));
  }

  start(models, treebanks) {
    models.forEach(model => this.model.append(element('option', { value: model.name }, model.name)));
    this.evaluate.disabled = !models.length;
    document.getElementById('given-label').hidden = !treebanks.length;
    this.given.append(element('option', { value: '' }, 'choose'), ...treebanks.map(it => element('option', { value: it.name }, `${it.name} (${it.trees})`)));
  }

  async open(file) {
    this.take(file.name, readBrackets(await file.text()));
  }

  async load(name) {
    const trees = [];
    for (let total = 1; trees.length < total;) {
      const some = await askJson(`treebank?name=${encodeURIComponent(name)}&start=${trees.length}`);
      total = some.total;
      if (!some.trees.length) break;
      // A tree without words has no brackets to read, but its place counts.
      for (const text of some.trees) trees.push(readBrackets(text)[0] || null);
    }
    this.take(name, trees.filter(Boolean));
  }

  take(name, trees) {
    complain(trees.length ? null : new Error(`${name} has no trees in brackets`));
    this.name = name;
    this.trees = trees.map((tree, index) => ({ tree, number: index + 1, source: tree.source, words: tree.tokens.map(token => token.word).join(' '), score: null, hits: null }));
    this.pair.replaceChildren();
    this.shown = this.trees;
    this.list();
  }

  async filter() {
    const value = id => document.getElementById(id).value.trim();
    const [label, text, pattern] = ['filter-label', 'filter-text', 'filter-pattern'].map(value);
    const [least, most] = [Number(value('filter-min') || 0), Number(value('filter-max') || Infinity)];
    const fits = it => it.tree.tokens.length >= least && it.tree.tokens.length <= most
      && (!label || it.tree.nodes.some(node => node.label === label || node.label.split(/[-=]/)[0] === label))
      && (!text || it.words.toLowerCase().includes(text.toLowerCase()));
    let shown = this.trees.filter(fits);
    shown.forEach(it => { it.hits = null; });
    if (pattern) {
      await this.inChunks(shown, async chunk => {
        const { hits } = await askJson('search', { pattern, trees: chunk.map(it => it.source) });
        chunk.forEach((it, index) => { it.hits = hits[index]; });
      }, 500);
      shown = shown.filter(it => it.hits.length);
    }
    complain(null);
    this.shown = shown;
    this.list();
  }

  async inChunks(trees, work, most) {
    for (let start = 0; start < trees.length;) {
      let end = start, size = 0;
      while (end < trees.length && end - start < most && (end === start || size + trees[end].source.length < MAX_CHUNK)) size += trees[end++].source.length;
      await work(trees.slice(start, end));
      start = end;
    }
  }

  async score() {
    const trees = this.shown, model = this.model.value;
    this.evaluate.disabled = true;
    let done = 0;
    try {
      await this.inChunks(trees, async chunk => {
        const { sentences } = await askJson('eval', { gold: chunk.map(it => it.source).join('\n'), model });
        chunk.forEach((it, index) => { it.score = sentences[index]; });
        done += chunk.length;
        this.status.textContent = `${done} of ${trees.length} parsed …`;
      }, MAX_CHUNK_TREES);
      complain(null);
    } finally {
      this.evaluate.disabled = false;
    }
    this.order.value = 'worst';
    this.list();
  }

  list() {
    const by = { file: (a, b) => a.number - b.number, long: (a, b) => b.tree.tokens.length - a.tree.tokens.length || a.number - b.number,
      worst: (a, b) => this.f1(a) - this.f1(b) || a.number - b.number }[this.order.value];
    this.sorted = [...this.shown].sort(by);
    this.first = 0;
    const scored = this.shown.filter(it => it.score), sum = name => scored.reduce((sum, it) => sum + it.score[name], 0);
    const f1 = scored.length ? `; F1 ${(200 * sum('matched') / (sum('gold') + sum('test')) || 0).toFixed(2)} on ${scored.length}` : '';
    const of = this.shown.length === this.trees.length ? '' : ` of ${this.trees.length}`;
    this.status.textContent = this.name ? `${this.name}: ${this.shown.length}${of} trees${f1}` : 'No treebank yet.';
    this.rows();
  }

  f1(it) { return it.score && it.score.f1 != null ? it.score.f1 : Infinity; }

  rows() {
    const some = this.sorted.slice(this.first, this.first + ROWS);
    this.body.replaceChildren(...some.map(it => {
      const f1 = it.score ? (it.score.f1 == null ? '–' : it.score.f1.toFixed(1)) : '';
      const button = element('button', { type: 'button', onclick: () => this.choose(it, row) }, shortened(it.words, 160));
      const row = element('tr', {}, element('td', {}, String(it.number)), element('td', {}, String(it.tree.tokens.length)), element('td', {}, f1), element('td', {}, button));
      return row;
    }));
    this.range.textContent = some.length ? `${this.first + 1} to ${this.first + some.length} of ${this.sorted.length}` : '';
    this.earlier.disabled = this.first === 0;
    this.later.disabled = this.first + ROWS >= this.sorted.length;
  }

  turn(by) {
    this.first = Math.max(0, this.first + by);
    this.rows();
  }

  /** Shows a gold tree, and the parse beside it with its errors. */
  choose(it, row) {
    this.body.querySelectorAll('[aria-current]').forEach(other => other.removeAttribute('aria-current'));
    row.setAttribute('aria-current', 'true');
    this.views.forEach(view => view.close());
    const parsed = it.score && it.score.tree ? readBrackets(it.score.tree)[0] : null;
    const missed = parsed ? nodesNotIn(it.tree, parsed) : new Set(), wrong = parsed ? nodesNotIn(parsed, it.tree) : new Set();
    const hits = new Set((it.hits || []).map(hit => `${hit.start} ${hit.end}`));
    const isHit = (tree, node) => hits.has(`${tree.nodes[node].start} ${tree.nodes[node].end}`) ? 'chosen' : '';
    const panes = [this.pane('Gold tree', it.tree, node => `${missed.has(node) ? 'missed' : ''} ${isHit(it.tree, node)}`)];
    if (parsed) panes.push(this.pane(`Parse, F1 ${it.score.f1 == null ? '–' : it.score.f1.toFixed(1)}`, parsed, node => wrong.has(node) ? 'wrong' : ''));
    const told = parsed ? `${missed.size} missed, ${wrong.size} wrong` : '';
    this.pair.replaceChildren(element('article', { class: 'card', 'aria-label': `Tree ${it.number}` }, element('h3', {}, [`Tree ${it.number}`, told].filter(Boolean).join(' · ')), element('p', {}, it.words), ...panes));
  }

  pane(title, tree, marks) {
    const view = new TreeView(tree, { marks, name: title, colours: false });
    this.views.push(view);
    return element('div', { class: 'pane' }, element('h4', {}, title), view.box, element('div', { class: 'tools' }, ...view.tools()));
  }
}
