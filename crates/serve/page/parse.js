// The view of sentences that are typed.

let token = null;

/** Asks the service; an error has its words. */
async function ask(path, body, signal) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, { method: body === undefined ? 'GET' : 'POST', headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  if (answer.status === 401) document.getElementById('token-form').hidden = false;
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({ error: `status ${answer.status}` }));
    throw new Error(told.hint ? `${told.error} (${told.hint})` : told.error);
  }
  return answer;
}

const askJson = async (path, body, signal) => (await ask(path, body, signal)).json();

function complain(error) {
  const message = document.getElementById('message');
  message.hidden = !error;
  message.textContent = error ? error.message : '';
}

function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A picture of pixels, twice as dense as the drawing. */
async function savePng(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = element('canvas', { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    save(name, 'image/png', await new Promise(done => canvas.toBlob(done, 'image/png')));
  } finally {
    URL.revokeObjectURL(url);
  }
}

const FORMS = {
  SVG: tree => ['tree.svg', 'image/svg+xml', tree.svg],
  PNG: tree => ['tree.png', 'image/png', tree.svg],
  LaTeX: tree => ['tree.tex', 'text/plain', latex(tree.tree)],
  brackets: tree => ['tree.mrg', 'text/plain', brackets(tree.tree) + '\n'],
  JSON: tree => ['tree.json', 'application/json', JSON.stringify(tree.tree.record) + '\n'],
};

const MAX_SHOWN = 25, PAUSE = 250, N_BEST = [1, 3, 5, 10];

class ParseView {
  constructor() {
    const find = id => document.getElementById(id);
    Object.assign(this, { text: find('text'), model: find('model'), other: find('other-model'), nBest: find('n-best'), status: find('parse-status'), list: find('sentences') });
    // What is not in the answer: constraints, ranks and what is collapsed, by sentence.
    this.phrases = []; this.ranks = {}; this.collapsed = {}; this.chosen = null;
    this.cards = [];
    N_BEST.forEach(number => this.nBest.append(element('option', { value: number }, String(number))));
    this.text.addEventListener('input', () => { this.forget(); this.later(); });
    [this.model, this.other, this.nBest].forEach(it => it.addEventListener('change', () => { this.ranks = {}; this.collapsed = {}; this.now(); }));
    find('copy-link').addEventListener('click', event => this.copyLink(event.target));
  }

  forget() { this.phrases = []; this.ranks = {}; this.collapsed = {}; this.chosen = null; }

  start(models) {
    for (const model of models) {
      this.model.append(element('option', { value: model.name }, model.name));
      this.other.append(element('option', { value: model.name }, model.name));
    }
    this.explains = new Map(models.map(model => [model.name, model.can_explain]));
    if (!models.length) this.status.textContent = 'This service has no parser.';
  }

  /** Takes what a link says. */
  restore(query) {
    const state = new URLSearchParams(query);
    const json = (name, other) => { try { return JSON.parse(state.get(name)) ?? other; } catch { return other; } };
    this.text.value = state.get('text') ?? 'She saw the man with the telescope.';
    for (const [name, select] of [['model', this.model], ['beside', this.other], ['n', this.nBest]]) {
      if ([...select.options].some(option => option.value === state.get(name))) select.value = state.get(name);
    }
    this.forget();
    this.phrases = json('phrases', []).filter(it => Number.isInteger(it.sentence) && Number.isInteger(it.start) && Number.isInteger(it.end));
    this.ranks = json('ranks', {});
    this.collapsed = json('collapsed', {});
    this.chosen = json('chosen', null);
    this.now();
  }

  link() {
    const state = new URLSearchParams({ text: this.text.value, model: this.model.value });
    const put = (name, value, isThere) => { if (isThere) state.set(name, typeof value === 'string' ? value : JSON.stringify(value)); };
    put('beside', this.other.value, this.other.value);
    put('n', this.nBest.value, this.nBest.value !== '1');
    put('phrases', this.phrases, this.phrases.length);
    put('ranks', this.ranks, Object.keys(this.ranks).length);
    put('collapsed', this.collapsed, Object.keys(this.collapsed).length);
    put('chosen', this.chosen, this.chosen);
    return `#parse?${state}`;
  }

  remember() { history.replaceState(null, '', this.link()); }

  async copyLink(button) {
    this.remember();
    await copy(location.href, button);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), PAUSE);
  }

  async now() {
    clearTimeout(this.timer);
    if (this.request) this.request.abort();
    const text = this.text.value, request = this.request = new AbortController();
    this.remember();
    if (!text.trim() || !this.model.value) return this.show([], []);
    const models = [...new Set([this.model.value, this.other.value].filter(Boolean))];
    const body = { text, models, n_best: Number(this.nBest.value) };
    if (this.phrases.length) body.phrases = this.phrases;
    try {
      const { parses } = await askJson('parse', body, request.signal);
      complain(null);
      this.show(parses, models);
    } catch (error) {
      if (error.name !== 'AbortError') complain(error);
    }
  }

  show(parses, models) {
    this.cards.forEach(card => card.close());
    const sentences = new Map();
    for (const parse of parses) sentences.set(parse.sentence, (sentences.get(parse.sentence) || []).concat(parse));
    const shown = [...sentences].slice(0, MAX_SHOWN);
    this.cards = shown.map(([number, parses]) => new SentenceCard(this, number, parses, models));
    this.list.replaceChildren(...this.cards.map(card => card.box));
    const number = sentences.size, words = parses.filter(parse => parse.rank === 1 && parse.model === models[0]).reduce((sum, parse) => sum + parse.tokens.length, 0);
    const more = number > MAX_SHOWN ? `; the first ${MAX_SHOWN} are shown` : '';
    this.status.textContent = number ? `${number} sentence${number > 1 ? 's' : ''}, ${words} tokens${more}` : '';
    const chosen = this.chosen && this.cards[this.chosen.sentence - 1];
    if (chosen) chosen.chooseAgain(this.chosen);
  }

  /** Requires a phrase; another of the same words gives way. */
  require(phrase) {
    this.phrases = this.phrases.filter(it => it.sentence !== phrase.sentence || it.start !== phrase.start || it.end !== phrase.end).concat(phrase);
    this.chosen = null; this.ranks = {}; this.collapsed = {};
    this.now();
  }

  release(phrase) {
    this.phrases = this.phrases.filter(it => it !== phrase);
    this.now();
  }
}

async function copy(text, button) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    complain(new Error('This browser does not let the page copy'));
  }
  setTimeout(() => { button.textContent = said; }, 1500);
}

/** A sentence with its trees. */
class SentenceCard {
  constructor(view, number, parses, models) {
    Object.assign(this, { view, number, parses, models, views: [], selected: null });
    const first = parses[0];
    this.words = first.tokens;
    this.heading = `Sentence ${number}`;
    this.tokens = this.tokenList();
    this.constraint = element('div', { class: 'tools', hidden: true });
    this.chips = element('ul', { class: 'chips', 'aria-label': `Constraints on sentence ${number}` });
    this.panes = element('div', { class: models.length > 1 ? 'panes two' : 'panes' });
    this.why = element('div', { class: 'why', 'aria-live': 'polite', hidden: true });
    this.box = element('article', { class: 'card', 'aria-label': this.heading }, element('h3', {}, this.heading), this.tokens, this.constraint, this.chips, this.panes, this.why);
    this.showChips();
    this.showPanes();
  }

  close() { this.views.forEach(view => view.close()); }

  tokenList() {
    const list = element('div', { class: 'tokens', role: 'listbox', 'aria-multiselectable': 'true', 'aria-label': `Words of sentence ${this.number}: select some to constrain the tree` });
    this.words.forEach((token, index) => list.append(element('span', { class: 'token', role: 'option', 'aria-selected': 'false', tabindex: index ? '-1' : '0', 'data-index': index }, token.word)));
    const indexOf = event => { const found = event.target.closest('.token'); return found ? Number(found.dataset.index) : null; };
    let from = null;
    list.addEventListener('pointerdown', event => { const at = indexOf(event); if (at != null) { from = event.shiftKey && this.selected ? this.selected[0] : at; this.select(from, at); list.children[at].focus(); event.preventDefault(); } });
    list.addEventListener('pointerover', event => { const at = indexOf(event); if (at == null) return; if (event.buttons && from != null) this.select(from, at); this.light(at, at + 1); });
    list.addEventListener('pointerleave', () => this.light(0, 0));
    list.addEventListener('keydown', event => {
      const at = indexOf(event), to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.words.length - 1 }[event.key];
      if (event.key === 'Escape') this.select(null);
      else if (event.key === ' ' || event.key === 'Enter') this.select(event.shiftKey && from != null ? from : (from = at), at);
      else if (to != null && list.children[to]) {
        list.children[at].tabIndex = -1; list.children[to].tabIndex = 0; list.children[to].focus();
        if (event.shiftKey) this.select(from == null ? (from = at) : from, to);
      } else return;
      event.preventDefault();
    });
    return list;
  }

  select(from, to) {
    this.selected = from == null ? null : [Math.min(from, to), Math.max(from, to) + 1];
    const [start, end] = this.selected || [0, 0];
    [...this.tokens.children].forEach((it, index) => it.setAttribute('aria-selected', String(start <= index && index < end)));
    this.showConstraint();
  }

  showConstraint() {
    this.constraint.hidden = !this.selected;
    if (!this.selected) return;
    const [start, end] = this.selected, id = `label-${this.number}`;
    const labels = [...new Set(['NP', 'VP', 'PP', 'S', 'SBAR', 'ADJP', 'ADVP'].concat(this.parses.flatMap(parse => parse.nodes.map(node => node.label))))].filter(label => !['TOP', ''].includes(label));
    const input = element('select', { id, 'aria-label': 'Label of the phrase' }, element('option', { value: '' }, 'any phrase'), ...labels.map(label => element('option', { value: label, selected: label === 'NP' }, label)));
    const apply = element('button', { type: 'button', onclick: () => this.view.require({ sentence: this.number, start, end, ...(input.value ? { label: input.value } : {}) }) }, 'Parse with it');
    this.constraint.replaceChildren(element('label', { for: id }, `“${this.words.slice(start, end).map(token => token.word).join(' ')}” is`), input, apply);
  }

  showChips() {
    const own = this.view.phrases.filter(phrase => phrase.sentence === this.number);
    const text = phrase => this.words.slice(phrase.start, phrase.end).map(token => token.word).join(' ');
    this.chips.replaceChildren(...own.map(phrase => element('li', {}, element('button', { type: 'button', onclick: () => this.view.release(phrase), 'aria-label': `Remove the constraint: ${phrase.label || 'phrase'} over ${text(phrase)}` }, `${phrase.label || 'phrase'} “${text(phrase)}” ✕`))));
    this.chips.hidden = !own.length;
  }

  of(model) { return this.parses.filter(parse => parse.model === model); }

  rank(model) { return Math.min(this.view.ranks[`${this.number} ${model}`] || 1, this.of(model).length); }

  showPanes() {
    this.close();
    const trees = this.models.map(model => treeOfRecord(this.of(model)[this.rank(model) - 1]));
    this.views = [];
    this.panes.replaceChildren(...this.models.map((model, place) => this.pane(model, trees[place], trees[1 - place])));
  }

  pane(model, tree, other) {
    const differing = other ? nodesNotIn(tree, other) : new Set(), rank = this.rank(model), all = this.of(model);
    const key = `${this.number} ${model} ${rank}`, collapsed = new Set(this.view.collapsed[key] || []);
    const marks = node => differing.has(node) ? 'differs' : '';
    const view = new TreeView(tree, { marks, collapsed, name: `Tree of sentence ${this.number} by ${model}`,
      onchoose: node => this.choose(model, tree, node), onhover: (start, end) => this.lightWords(start, end),
      oncollapse: () => { if (collapsed.size) this.view.collapsed[key] = [...collapsed]; else delete this.view.collapsed[key]; this.view.remember(); } });
    this.views.push(view);
    const record = tree.record, tools = element('div', { class: 'tools' }, ...view.tools());
    if (all.length > 1) tools.append(...this.switcher(model, rank, all.length));
    tools.append(this.saver(tree, { collapsed, marks }));
    const facts = [this.models.length > 1 ? model : '', record.status === 'pruned' || record.status === 'optimal' ? '' : record.status, record.unmet || '',
      other ? `${differing.size} phrase${differing.size === 1 ? '' : 's'} that the other has not` : ''].filter(Boolean);
    const pane = element('div', { class: 'pane' });
    if (facts.length) pane.append(element('h4', {}, facts.join(' · ')));
    pane.append(view.box, tools);
    return pane;
  }

  switcher(model, rank, number) {
    const to = by => { this.view.ranks[`${this.number} ${model}`] = rank + by; this.view.chosen = null; this.why.hidden = true; this.view.remember(); this.showPanes(); };
    const button = (name, sign, by) => element('button', { type: 'button', 'aria-label': name, disabled: rank + by < 1 || rank + by > number, onclick: () => to(by) }, sign);
    return [button('Better tree', '◀', -1), element('span', { role: 'status' }, `tree ${rank} of ${number}`), button('Next best tree', '▶', 1)];
  }

  saver(tree, options) {
    const select = element('select', { 'aria-label': 'Form' }, ...Object.keys(FORMS).map(form => element('option', {}, form)));
    const made = () => FORMS[select.value]({ tree, svg: svgDocument(tree, options) });
    const saveIt = element('button', { type: 'button', onclick: () => { const [name, type, content] = made(); if (select.value === 'PNG') savePng(name, content).catch(complain); else save(name, type, content); } }, 'Save');
    const copyIt = element('button', { type: 'button', onclick: event => copy(made()[2], event.target) }, 'Copy');
    select.addEventListener('change', () => { copyIt.disabled = select.value === 'PNG'; });
    return element('span', { class: 'tools' }, select, saveIt, copyIt);
  }

  lightWords(start, end) {
    [...this.tokens.children].forEach((it, index) => it.classList.toggle('lit', start <= index && index < end));
  }

  light(start, end) {
    this.lightWords(start, end);
    this.views.forEach(view => view.light(start, end));
  }

  chooseAgain({ model, node }) {
    const place = this.models.indexOf(model), view = this.views[place];
    if (view && view.tree.nodes[node]) view.choose(node);
  }

  /** Tells why a node is there. */
  async choose(model, tree, index) {
    this.view.chosen = { sentence: this.number, model, node: index };
    this.view.remember();
    const node = tree.nodes[index];
    const sure = node.confidence == null ? '' : ` Its confidence is ${node.confidence.toFixed(3)}.`;
    const head = [element('h4', {}, `Why ${node.label || 'this phrase'} “${shortened(textOf(tree, node), 60)}”?`)];
    this.why.hidden = false;
    if (!this.view.explains.get(model)) {
      this.why.replaceChildren(...head, element('p', {}, `This parser is a grammar without features, which has no reasons to tell.${sure}`));
      return;
    }
    this.why.replaceChildren(...head, element('p', {}, `One moment …${sure}`));
    try {
      const steps = await this.explain(model);
      const own = steps.filter(step => step.start === node.start && step.end === node.end);
      const rank = this.rank(model) > 1 ? [element('p', {}, 'The reasons are those of the best tree.')] : [];
      const told = own.length ? own.flatMap(step => this.step(step)) : [element('p', {}, 'The best tree has no phrase of these words.')];
      this.why.replaceChildren(...head, element('p', {}, sure.trim()), ...rank, ...told);
    } catch (error) {
      this.why.replaceChildren(...head, element('p', {}, error.message));
    }
  }

  async explain(model) {
    this.explained = this.explained || {};
    if (!this.explained[model]) {
      const phrases = this.view.phrases.filter(phrase => phrase.sentence === this.number).map(phrase => ({ ...phrase, sentence: 1 }));
      const body = { lines: [this.parses[0].text], model, alternatives: 3, ...(phrases.length ? { phrases } : {}) };
      this.explained[model] = (await askJson('explain', body)).sentences[0].steps;
    }
    return this.explained[model];
  }

  step(step) {
    const signed = number => (number < 0 ? '−' : '+') + Math.abs(number).toFixed(3);
    const rows = step.reasons.slice(0, 8).map(([reason, weight]) => element('tr', {}, element('td', {}, signed(weight)), element('td', {}, reason)));
    const rest = step.reasons.slice(8), sum = rest.reduce((sum, [, weight]) => sum + weight, 0);
    if (rest.length) rows.push(element('tr', {}, element('td', {}, signed(sum)), element('td', {}, `${rest.length} more`)));
    const others = step.alternatives.map(([label, behind]) => `${label || 'no phrase'} is ${behind.toFixed(3)} behind`);
    const parts = [element('p', {}, element('strong', {}, step.label), ` is worth ${signed(step.score)}.`)];
    if (others.length) parts.push(element('p', {}, `Instead of it: ${others.join('; ')}.`));
    if (rows.length) parts.push(element('table', { class: 'reasons' }, element('tbody', {}, ...rows)));
    return parts;
  }
}
