// Views by the hash of the address, and what they have in common.

const views = { parse: new ParseView(), treebank: new TreebankView(), training: new TrainingView() };

function go() {
  const [name, query] = location.hash.slice(1).split(/\?(.*)/s);
  const chosen = views[name] ? name : 'parse';
  for (const other of Object.keys(views)) document.getElementById(`view-${other}`).hidden = other !== chosen;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.view === chosen) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  if (chosen === 'parse') {
    document.querySelector('nav a[data-view=parse]').href = '#parse';
    if (!views.parse.isShown || query) views.parse.restore(query || '');
    views.parse.isShown = true;
  }
  if (chosen === 'training') views.training.follow(); else views.training.leave();
}

async function begin() {
  try {
    const [{ models }, { treebanks }] = await Promise.all([askJson('models'), askJson('treebanks')]);
    complain(null);
    document.getElementById('token-form').hidden = true;
    views.parse.start(models);
    views.treebank.start(models, treebanks);
    await views.training.start();
    window.addEventListener('hashchange', go);
    go();
  } catch (error) {
    complain(error);
  }
}

document.getElementById('token-form').addEventListener('submit', event => {
  event.preventDefault();
  token = document.getElementById('token').value;
  begin();
});
document.querySelector('.skip').addEventListener('click', event => { event.preventDefault(); document.getElementById('main').focus(); });
begin();
