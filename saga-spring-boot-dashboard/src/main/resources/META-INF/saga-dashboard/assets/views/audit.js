// What people have done, and what was refused.

import { el } from '../dom.js';
import { get } from '../api.js';
import { t } from '../texts.js';
import { when } from '../time.js';
import { badge, filter, heading, link, pages, table } from '../parts.js';

const target = entry =>
  entry.kind === 'run' ? link('run', { id: entry.target }, entry.target) : `${entry.kind} ${entry.target}`;

const columns = isOfOne => [
  ['at', entry => when(entry.at)],
  ['who', entry => [entry.operator ?? t('unknownPerson'),
    el('span', { class: 'quiet' }, ` ${t('through', { access: entry.access })}`)]],
  ['operation', entry => entry.operation],
  ...(isOfOne ? [] : [['target', target]]),
  ['outcome', entry => badge(entry.outcome)],
  ['reason', entry => entry.reason ?? ''],
  ['message', entry => entry.message],
];

export async function audit(me, parameters) {
  const found = await get('audit', parameters);
  return { content: [
    heading(t('audit')),
    filter('audit', parameters, ['operator', 'operation', 'tenant']),
    table(t('audit'), columns(false), found.items),
    pages('audit', parameters, found.next, 'before', 'newer', 'older'),
  ] };
}

/** Lists what people have done to one object, if they have done anything. */
export const historyOf = items => items.length === 0 ? '' : el('section', {},
  el('h2', {}, t('history')), table(t('history'), columns(true), items));
