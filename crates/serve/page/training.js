// The view of training: curves that grow while a run goes on, and reports.

const WANTED = ['F1', 'objective', 'active', 'log-loss'];

class TrainingView {
  constructor() {
    const find = id => document.getElementById(id);
    Object.assign(this, { status: find('training-status'), curves: find('curves'), reports: find('reports') });
  }

  async start() {
    const { reports } = await askJson('reports');
    const open = async name => {
      const page = window.open('', '_blank');
      const text = await (await ask(`report?name=${encodeURIComponent(name)}`)).text();
      page.location = URL.createObjectURL(new Blob([text], { type: 'text/html' }));
    };
    const item = name => element('li', {}, token ? element('button', { type: 'button', onclick: () => open(name).catch(complain) }, name) : element('a', { href: `report?name=${encodeURIComponent(name)}` }, name));
    this.reports.replaceChildren(...(reports.length ? reports.map(item) : [element('li', { class: 'quiet' }, 'There are none; start the service with --reports DIR.')]));
  }

  /** Follows the runs for as long as the view is open. */
  async follow() {
    if (this.following) return;
    const request = this.following = new AbortController();
    try {
      const answer = await ask('training/events', undefined, request.signal);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part; !(part = await reader.read()).done;) {
        text += part.value;
        for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) this.show(JSON.parse(text.slice('data: '.length, end)).runs);
      }
    } catch (error) {
      if (error.name !== 'AbortError') complain(error);
    } finally {
      this.following = null;
    }
  }

  leave() { if (this.following) this.following.abort(); }

  show(runs) {
    const live = runs.filter(run => run.is_live).length, steps = runs.reduce((sum, run) => sum + run.steps.length, 0);
    this.status.textContent = runs.length ? `${runs.length} run${runs.length > 1 ? 's' : ''}, ${live} with a checkpoint or going on; ${steps} steps` : 'No runs: start the service with --watch DIR, where checkpoints are.';
    const names = new Set(runs.flatMap(run => run.steps.flatMap(step => Object.keys(step))));
    const charts = WANTED.filter(name => names.has(name)).map(name => this.chart(name, runs));
    this.curves.replaceChildren(...charts);
  }

  chart(name, runs) {
    const lines = runs.map((run, place) => ({ name: run.name, place: place % 5, points: run.steps.map((step, index) => [index + 1, step[name]]).filter(([, value]) => value != null) })).filter(line => line.points.length);
    const xs = lines.flatMap(line => line.points.map(([x]) => x)), ys = lines.flatMap(line => line.points.map(([, y]) => y));
    const [width, height, left, bottom, top] = [460, 240, 56, 34, 12];
    const [least, most] = [Math.min(...ys), Math.max(...ys)], room = most - least || Math.abs(most) || 1;
    const step = niceStep(room / 4), last = Math.max(2, ...xs);
    const [low, high] = [Math.floor(least / step) * step, Math.ceil(most / step) * step || step];
    const x = at => left + (at - 1) / (last - 1) * (width - left - 14), y = at => height - bottom - (at - low) / (high - low) * (height - bottom - top);
    const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${name} by step: ${lines.map(line => `${line.name} ends at ${shown(line.points[line.points.length - 1][1])}`).join(', ')}` });
    for (let value = low; value <= high + step / 2; value += step) {
      const label = svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, shown(value));
      label.style.textAnchor = 'end';
      picture.append(svg('path', { class: 'grid', d: `M${left} ${y(value)}H${width - 14}` }), label);
    }
    picture.append(svg('path', { class: 'axis', d: `M${left} ${top}V${height - bottom}H${width - 14}` }), svg('text', { x: (left + width) / 2, y: height - 6 }, `step 1 to ${last}`));
    lines.forEach(line => {
      const d = line.points.map(([at, value], index) => `${index ? 'L' : 'M'}${x(at)} ${y(value)}`).join('');
      picture.append(svg('path', { class: `curve k${line.place}`, d }));
      if (line.points.length === 1) picture.append(svg('circle', { class: `curve k${line.place}`, cx: x(line.points[0][0]), cy: y(line.points[0][1]), r: 3 }));
    });
    const key = line => element('li', {}, svg('svg', { viewBox: '0 0 20 8', 'aria-hidden': 'true' }, svg('path', { class: `curve k${line.place}`, d: 'M0 4H20' })), ` ${line.name} ${shown(line.points[line.points.length - 1][1])}`);
    return element('figure', {}, element('figcaption', {}, name), picture, element('ul', { class: 'key' }, ...lines.map(key)));
  }
}

/** The least of 1, 2 and 5, times a power of ten, that is not less. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find(part => part * power >= least) * power;
}

function shown(number) {
  const size = Math.abs(number);
  return size >= 10000 || (size < 0.001 && size > 0) ? number.toExponential(2) : String(Math.round(number * 1000) / 1000);
}
