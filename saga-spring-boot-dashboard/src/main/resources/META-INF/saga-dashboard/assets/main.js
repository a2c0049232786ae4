// Shows the view that the address names, and keeps it up to date while the tab is visible.

import { byId, el, replace } from './dom.js';
import { countNews, get } from './api.js';
import { language, t } from './texts.js';
import { addressOf, follow, go, place } from './place.js';
import { clockTime, databaseTime, refreshTimes } from './time.js';
import { afterOperations, isAsking, messageOf } from './operations.js';
import { audit } from './views/audit.js';
import { front } from './views/front.js';
import { lists } from './views/lists.js';
import { locks } from './views/locks.js';
import { nodes } from './views/nodes.js';
import { run } from './views/run.js';
import { runs } from './views/runs.js';
import { workflows } from './views/workflows.js';

const EACH = 5_000;

const views = { front, runs, run, workflows, ...lists, ...locks, nodes, audit };

/** The capability that a view needs. */
const NEEDS = {
  runs: 'runs', run: 'runs', workflows: 'workflows', claims: 'workflows', work: 'work', deliveries: 'listeners',
  schedules: 'schedules', queues: 'queues', kinds: 'pauses', leases: 'leases', keys: 'keys', audit: 'audit',
};

let me = null;
let showing = 0;
let timer = 0;

/** True while the content shows data, and not a problem. */
let isShown = false;

/** The news that the content shows. An update that was held back is shown by the next one. */
let shownNews = 0;

/** Shows the views that the application has. The selected one is visible, also where the navigation scrolls. */
function navigation(view) {
  const nav = byId('nav');
  const shows = `${view} of ${me.capabilities}`;
  if (nav.dataset.shows === shows) {
    return;
  }
  const selected = view === 'run' ? 'runs' : view;
  const isOffered = each => !NEEDS[each] || me.capabilities.includes(NEEDS[each]);
  const shown = Object.keys(views).filter(each => each !== 'run' && isOffered(each));
  replace(nav, shown.map(each => el('a', {
    href: addressOf(each), 'data-focus': `nav ${each}`, 'aria-current': each === selected ? 'page' : null,
  }, t(each))));
  nav.dataset.shows = shows;
  const link = nav.querySelector('[aria-current]');
  nav.scrollLeft = link ? link.offsetLeft - nav.offsetLeft - 40 : 0;
}

/** True while a person decides in a dialog, or has selected text to copy. An update would take it away. */
function isBusy() {
  const selection = getSelection();
  return isAsking() || (!selection.isCollapsed && byId('content').contains(selection.anchorNode));
}

function showProblem(problem) {
  replace(byId('content'), [
    el('h1', {}, 'Saga'),
    el('p', { class: 'lead person', role: 'alert' }, messageOf(problem)),
    problem.status === 401 ? el('p', {}, el('a', { href: location.href }, t('signIn'))) : '',
  ]);
}

async function show(isUpdate) {
  clearTimeout(timer);
  const mine = ++showing;
  const { view: asked, parameters } = place();
  const view = Object.hasOwn(views, asked) ? asked : 'front';
  try {
    me ??= await get('me');
    const { content, title } = await views[view](me, parameters);
    if (mine !== showing || (isUpdate && isBusy())) {
      return;
    }
    if (isUpdate && isShown && shownNews === countNews()) {
      refreshTimes(byId('content'));
    } else {
      navigation(view);
      replace(byId('content'), content);
      document.title = `${title ?? t(view)} · Saga`;
      isShown = true;
      shownNews = countNews();
    }
    byId('fresh').textContent = t('updated', { time: clockTime(databaseTime()) });
  } catch (problem) {
    if (mine !== showing) {
      return;
    }
    if (!('code' in problem)) {
      throw problem;
    }
    // After an update that failed, the old data stays. The time beside it shows its age.
    if (!isUpdate || !isShown) {
      isShown = false;
      showProblem(problem);
    } else {
      byId('fresh').textContent = messageOf(problem);
    }
    if (problem.status === 401) {
      me = null;
    }
  } finally {
    if (mine === showing) {
      plan();
    }
  }
}

function plan() {
  clearTimeout(timer);
  if (!document.hidden) {
    timer = setTimeout(() => isBusy() ? plan() : show(true), EACH);
  }
}

/** Leads to the filter of this view, or to that of the runs if this view has none. */
async function search() {
  const field = () => document.querySelector('.filter input');
  if (!field()) {
    await go(addressOf('runs'));
  }
  field()?.focus();
}

function shortcuts(event) {
  const isField = event.target.matches?.('input, select, textarea');
  if (event.key === '/' && !isField && !isAsking()) {
    event.preventDefault();
    search();
  }
}

document.documentElement.lang = language;
document.querySelector('.skip').textContent = t('skip');
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  byId('content').focus();
});
byId('nav').setAttribute('aria-label', 'Saga');
byId('content').textContent = t('loading');
document.addEventListener('visibilitychange', () => document.hidden ? clearTimeout(timer) : show(true));
document.addEventListener('keydown', shortcuts);
follow(async () => {
  await show(false);
  byId('content').focus({ preventScroll: true });
  scrollTo(0, 0);
});
afterOperations(() => show(false));
show(false);
