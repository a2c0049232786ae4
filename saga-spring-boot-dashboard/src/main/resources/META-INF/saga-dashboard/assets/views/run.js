// One run: what it waits for, what has happened, and what a person can do.

import { copy, el, svg } from '../dom.js';
import { addressOf, get } from '../api.js';
import { t } from '../texts.js';
import { at, moment, when } from '../time.js';
import { timeline } from '../timeline.js';
import { badge, buttons, facts, heading, link, number, stack, table } from '../parts.js';
import { historyOf } from './audit.js';

/** Says in one sentence what the run waits for, until when, and who must act. */
function sentence({ code, what, until, who }, state) {
  if (code === 'nothing') {
    return t(`ended.${state}`);
  }
  if (code === 'person') {
    return t(`wait.person.${state}`, { what });
  }
  const key = ['signal', 'callback'].includes(code) && until ? `wait.${code}.until` : `wait.${code}`;
  // Only the node that executes a run knows its current step.
  const vague = code !== 'node' || (who && what) ? '' : who ? '.some' : '.nothing';
  return t(`${key}${vague}`, { what, who, until: until ? moment(until) : '' });
}

const SHAPES = {
  completed: 'good', compensated: 'undone', failed: 'bad', timed_out: 'bad', waiting: 'open', running: 'open',
  compensating: 'open',
};

const shapesOf = ({ run: it, saga }) => step =>
  it.state === 'compensation_failed' && saga.openCompensations.includes(step.name)
    ? 'bad'
    : SHAPES[step.state] ?? 'ahead';

/** Draws the steps of a saga as a chain. The table below has the same content. */
function chain(steps, shapeOf) {
  const width = 150;
  const height = 62;
  const whole = width * steps.length;
  const name = t('picture', { name: t('sagaSteps') });
  return el('div', { class: 'scroll chain', tabindex: '0', role: 'region', 'aria-label': name },
    svg('svg', { width: whole, height, viewBox: `0 0 ${whole} ${height}`, 'aria-hidden': 'true' },
      steps.map((step, index) => svg('g', { transform: `translate(${index * width} 0)`, class: shapeOf(step) },
        index > 0 ? svg('path', { d: 'M-74 20H52', class: 'edge' }) : null,
        svg('circle', { cx: 64, cy: 20, r: 10 }),
        svg('text', { x: 64, y: 50, 'text-anchor': 'middle' },
          step.name.length > 20 ? `${step.name.slice(0, 19)}…` : step.name)))));
}

const sagaColumns = [
  ['step', step => step.name],
  ['state', step => badge(step.state)],
  ['attempt', step => step.attempt || '', true],
  ['started', step => when(step.startedAt)],
  ['until', step => when(step.deadline ?? step.nextAttemptAt)],
  ['error', step => step.error
    ? [el('span', { class: 'error' }, step.error), stack(`saga ${step.name}`, step.trace)]
    : ''],
  ['run', step => step.run ? link('run', { id: step.run }, step.run) : ''],
];

/** The error of an attempt is stored as JSON. */
function detail(step) {
  try {
    const { error, trace } = JSON.parse(step.detail);
    return error
      ? [el('span', { class: 'error' }, `${error.type}: ${error.message}`),
        stack(`${step.step} ${step.at}`, trace ?? [])]
      : step.detail;
  } catch (text) {
    return step.detail ?? '';
  }
}

const journalColumns = [
  ['at', step => step.at ? at(step.at) : ''],
  ['step', step => step.step],
  ['kind', step => step.kind.replaceAll('_', ' ')],
  ['what', step => step.mark.replaceAll('_', ' ')],
  ['attempt', step => step.attempt, true],
  ['until', step => when(step.until)],
  ['detail', detail],
];

function saga(found, shapeOf) {
  return el('section', {},
    el('h2', {}, t('sagaSteps')),
    found.openCompensations.length > 0
      ? el('p', {}, t('openCompensations', { steps: found.openCompensations.join(', ') }))
      : '',
    chain(found.steps, shapeOf),
    table(t('sagaSteps'), sagaColumns, found.steps));
}

function download(found) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(found, null, 2)], { type: 'application/json' }));
  el('a', { href: url, download: `run-${found.run.id}.json` }).click();
  URL.revokeObjectURL(url);
}

function tools(found) {
  const { id } = found.run;
  const button = (name, onclick) =>
    el('button', { type: 'button', class: 'plain', 'data-focus': name, onclick }, t(name));
  return el('span', { class: 'buttons' },
    button('copyId', () => copy(id, t('copied'))),
    button('copyCurl', () => copy(`curl '${addressOf('run', { id })}'`, t('copied'))),
    button('download', () => download(found)));
}

/** Why a value has no text. */
const NO_TEXT = { hidden: 'hidden', redacted: 'unread', shown: 'unread' };

const payloadColumns = [
  ['kind', item => t(`payload.${item.kind}`)],
  ['step', item => item.name],
  ['at', item => item.at ? at(item.at) : ''],
  ['value', item => [
    item.text === null ? '' : el('pre', { tabindex: '0' }, item.text),
    item.text?.length === item.length ? '' : el('span', { class: 'quiet' },
      t(`payload.${item.text === null ? NO_TEXT[item.visibility] : 'cut'}`, { length: number(item.length) })),
  ]],
];

async function payloadsOf(id, me) {
  if (!me.payloads) {
    return '';
  }
  const found = await get('payloads', { id });
  return el('section', {}, el('h2', {}, t('payloads')),
    table(t('payloads'), payloadColumns, found.items),
    found.more ? el('p', { class: 'quiet' }, t('payload.more')) : '');
}

export async function run(me, { id }) {
  const found = await get('run', { id: id ?? '' });
  const payloads = await payloadsOf(id, me);
  const { run: it, waiting } = found;
  const cause = found.saga?.cause;
  const course = timeline(found, shapesOf(found));
  return { title: it.run, content: [
    heading([it.run, ' ', badge(it.state)], buttons(me, it, `${it.run} …${it.id.slice(-8)}`, { id: it.id },
      { step: waiting.what ?? '', signal: waiting.what ?? '' })),
    el('p', { class: `lead ${waiting.code}` }, sentence(waiting, it.state)),
    it.error || cause ? el('section', { class: 'failure' },
      el('h2', {}, t('failure')),
      el('p', { class: 'error' }, cause ? `${t('col.step')} ${cause.step ?? ''}: ${cause.error}` : it.error),
      stack('failure', cause ? cause.trace : found.trace)) : '',
    facts([
      ['id', it.id], ['key', it.key], ['tenant', it.tenant], ['node', it.node], ['started', when(it.startedAt)],
      ['since', when(it.since)], ['attempt', it.attempt || ''],
      ['labels', Object.entries(it.labels).map(([name, value]) =>
        link('runs', { label: `${name}:${value}` }, el('span', { class: 'label' }, `${name}:${value}`)))],
      ['reason', it.cancelReason],
    ]),
    tools(found),
    course ? el('section', {}, el('h2', {}, t('timeline')), course) : '',
    found.saga ? saga(found.saga, shapesOf(found)) : '',
    el('section', {}, el('h2', {}, t('journal')),
      table(t('journal'), journalColumns, found.steps)),
    payloads,
    historyOf(found.history),
  ] };
}
