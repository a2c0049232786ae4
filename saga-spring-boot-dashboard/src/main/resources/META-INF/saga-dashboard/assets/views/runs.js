// The list of runs, with filters that stay in the address.

import { el } from '../dom.js';
import { get } from '../api.js';
import { t } from '../texts.js';
import { when } from '../time.js';
import { bulkButtons } from '../bulk.js';
import { kinds } from '../kinds.js';
import { badge, errorOf, filter, heading, link, number, pages, shortId, table } from '../parts.js';

const STATES = ['pending', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'blocked', 'in_doubt', 'parked',
  'compensating', 'compensation_failed'];
const FIELDS = ['run', ['state', STATES], 'key', 'label', 'node', 'tenant', 'startedFrom', 'startedBefore'];

const labels = run => Object.entries(run.labels).map(([name, value]) =>
  link('runs', { label: `${name}:${value}` }, el('span', { class: 'label' }, `${name}:${value}`)));

/** Operations are on the page of a run, where the facts for the decision are. */
const columns = [
  ['id', run => link('run', { id: run.id }, shortId(run.id))],
  ['run', run => run.run],
  ['state', run => badge(run.state)],
  ['since', run => when(run.since)],
  ['key', run => run.key ?? ''],
  ['tenant', run => run.tenant ?? ''],
  ['labels', labels],
  ['step', run => run.current ?? ''],
  ['error', run => errorOf(run.error)],
];

export async function runs(me, parameters) {
  const found = await get('runs', { ...parameters, count: 'true' });
  const count = number(found.count.count, found.count.capped);
  return { content: [
    heading(t('runs'), el('span', { class: 'quiet' }, t('of', { count })), bulkButtons(me, parameters)),
    filter('runs', parameters, FIELDS),
    el('details', { 'data-key': 'kinds' }, el('summary', {}, t('byKind')), kinds(found.kinds)),
    table(t('runs'), columns, found.items),
    pages('runs', parameters, found.next, 'before', 'newer', 'older'),
  ] };
}
