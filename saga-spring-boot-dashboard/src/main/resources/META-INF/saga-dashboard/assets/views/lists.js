// The lists of claims, background work, deliveries, schedules and queues.

import { el } from '../dom.js';
import { get } from '../api.js';
import { t } from '../texts.js';
import { duration, when } from '../time.js';
import { badge, buttons, errorOf, filter, heading, link, number, pages, shortId, table } from '../parts.js';

const DELIVERY_STATES = ['waiting', 'delivering', 'retrying', 'parked'];

const pauseOf = (who, why) => t('pausedBy', { who: who ?? t('unknownPerson'), why: why ?? '' });

const claims = me => [
  ['entity', claim => `${claim.entity} ${claim.id}`],
  ['claim', claim => link('workflows',
    { workflow: claim.workflow, id: claim.id, tenant: claim.tenant }, claim.claimState)],
  ['since', claim => when(claim.claimedAt)],
  ['silent', claim => duration(claim.silentFor), true],
  ['requester', claim => claim.requester],
  ['node', claim => claim.node],
  ['tenant', claim => claim.tenant ?? ''],
  ['operations', claim => buttons(me, claim, `${claim.entity} ${claim.id}`,
    { entity: claim.entity, id: claim.id, token: claim.token, tenant: claim.tenant })],
];

const work = me => [
  ['kind', item => item.kind],
  ['key', item => item.key],
  ['since', item => when(item.since)],
  ['attempt', item => item.attempt, true],
  ['handler', item => item.handled ? '' : t('noHandler')],
  ['error', item => errorOf(item.lastError)],
  ['tenant', item => item.tenant ?? ''],
  ['operations', item => buttons(me, item, `${item.kind} ${item.key}`, { id: item.id, tenant: item.tenant })],
];

const deliveries = me => [
  ['id', item => shortId(item.id)],
  ['listener', item => item.listener],
  ['event', item => item.event.split('.').at(-1)],
  ['key', item => item.key ?? ''],
  ['state', item => badge(item.state)],
  ['published', item => when(item.publishedAt)],
  ['attempt', item => item.attempt, true],
  ['error', item => errorOf(item.lastError)],
  ['operations', item => buttons(me, item, `${item.listener} ${item.id}`, { id: item.id })],
];

const schedules = me => [
  ['name', ({ schedule }) => schedule.name],
  ['times', ({ schedule }) => schedule.times],
  ['run', ({ schedule }) => link('runs', { run: schedule.run }, schedule.run)],
  ['next', ({ next }) => when(next[0])],
  ['last', ({ schedule: { last, lastRun } }) => lastRun ? link('run', { id: lastRun }, when(last)) : when(last)],
  ['skipped', ({ schedule }) => schedule.skipped || '', true],
  ['pause', ({ schedule }) => schedule.paused ? pauseOf(schedule.pausedBy, schedule.pausedWhy) : ''],
  ['operations', item => buttons(me, item, item.schedule.name, { name: item.schedule.name })],
];

const queues = me => [
  ['name', queue => queue.name],
  ['inUse', queue => queue.inUse, true],
  ['limit', queue => queue.perKey ? `${queue.limit} (${queue.perKey})` : queue.limit, true],
  ['rate', queue => queue.rate ?? ''],
  ['waiting', queue => number(queue.waiting), true],
  ['longest', queue => queue.waiting > 0 ? duration(queue.oldestWaiting) : '', true],
  ['pause', queue => queue.pause ? pauseOf(queue.pause.by, queue.pause.why) : ''],
  ['operations', queue => buttons(me, queue, queue.name, { name: queue.name },
    { limit: queue.limit, perKey: queue.perKey ?? '' })],
];

const kinds = me => [
  ['name', item => item.kind === 'kind' ? link('runs', { run: item.name }, item.name) : item.name],
  ['kind', item => t(`kind.${item.kind}`)],
  ['pause', item => item.pause ? [pauseOf(item.pause.by, item.pause.why), ' ', when(item.pause.at)] : ''],
  ['operations', item => buttons(me, item, item.name, { name: item.name })],
];

const listeners = [
  ['listener', each => link('deliveries', { listener: each.listener }, each.listener)],
  ['stored', each => number(each.stored, each.stored === 1000), true],
  ['due', each => number(each.due, each.due === 1000), true],
  ['overdue', each => each.due > 0 ? duration(each.overdue) : '', true],
  ['parked', each => number(each.parked, each.parked === 1000), true],
  ['handler', each => each.known ? '' : t('noHandler')],
];

const listenersOf = found => found.listeners.length === 0 ? '' : el('section', {},
  el('h2', {}, t('listeners')),
  table(t('listeners'), listeners, found.listeners));

const list = (name, columns, fields = [], more = () => '') => async (me, parameters) => {
  const found = await get(name, parameters);
  const shown = columns(me).filter(([column]) => column !== 'operations' || me.access === 'unrestricted');
  return { content: [
    heading(t(name)),
    fields.length > 0 ? filter(name, parameters, fields) : '',
    table(t(name), shown, found.items),
    pages(name, parameters, found.next),
    more(found),
  ] };
};

export const lists = {
  claims: list('claims', claims, ['tenant']),
  work: list('work', work, ['tenant']),
  deliveries: list('deliveries', deliveries, ['listener', ['state', DELIVERY_STATES], 'key', 'tenant'], listenersOf),
  schedules: list('schedules', schedules),
  queues: list('queues', queues),
  kinds: list('kinds', kinds),
};
