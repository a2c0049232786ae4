// First what needs a person, then the numbers.

import { el } from '../dom.js';
import { get } from '../api.js';
import { t, textOr } from '../texts.js';
import { at, when } from '../time.js';
import { badge, heading, link, number, shortId } from '../parts.js';
import { addressOf } from '../place.js';
import { kinds } from '../kinds.js';
import { trends } from '../trends.js';

/** An example of runs has the end of its id, because many runs have the same name. */
const example = ({ view, id, title, since }) => el('li', {},
  view === 'run' ? link(view, { id }, title, ' ', shortId(id)) : link(view, {}, title),
  since ? el('span', { class: 'quiet' }, ' ', when(since)) : '');

const trouble = found => el('li', { class: found.kind === 'run-failed' ? 'calm' : null },
  el('span', { class: 'count' }, number(found.count, found.capped)),
  el('h3', {}, link(found.filter.view, { ...found.filter, view: null }, textOr(`trouble.${found.kind}`, found.kind)),
    found.oldest && found.count > found.examples.length ? el('span', { class: 'quiet' }, ' ', t('oldest'), ' ', when(found.oldest)) : ''),
  el('ul', { class: 'examples' }, found.examples.map(example)));

/** Puts the time, which is an element, into its place in the sentence. */
function sentence(since) {
  const [before, after] = t('wellSince', { time: '|' }).split('|');
  return [before, at(since), after];
}

function well(since) {
  return el('div', { class: 'well' }, el('p', {}, el('strong', {}, t('well'))),
    since ? el('p', { class: 'quiet' }, ...sentence(since)) : '');
}

export async function front() {
  const found = await get('overview');
  return { content: [
    heading(t('front')),
    found.troubles.length === 0 ? well(found.wellSince) : el('section', {},
      el('h2', {}, t('needs')),
      el('ul', { class: 'troubles' }, found.troubles.map(trouble))),
    el('section', {},
      el('h2', {}, t('counts')),
      found.counts.length === 0 ? el('p', { class: 'empty' }, t('nothingYet')) : el('ul', { class: 'counts' },
        found.counts.map(each => el('li', {},
          el('a', { href: addressOf('runs', { state: each.state }) },
            el('span', { class: 'big' }, number(each.count, each.capped)), badge(each.state)))))),
    found.trends ? el('section', {}, el('h2', {}, t('trends')), trends(found.trends)) : '',
    el('section', {}, el('h2', {}, t('byKind')), kinds(found.kinds)),
  ] };
}
