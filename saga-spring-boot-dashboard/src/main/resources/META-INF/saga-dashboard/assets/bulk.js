// Performs an operation on all runs that the filter selects: first a preview, then a confirmation, then the progress.

import { byId, el, say } from './dom.js';
import { get, operate } from './api.js';
import { labelOf, t } from './texts.js';
import { number } from './parts.js';
import { messageOf, refresh } from './operations.js';

const FITS = {
  retry: ['failed', 'blocked', 'parked', 'compensation_failed'],
  cancel: ['pending', 'running', 'waiting', 'compensating', 'blocked', 'parked', 'in_doubt'],
  'give-up': ['blocked', 'parked', 'in_doubt', 'compensation_failed'],
};
const SLICE = 100;
const MOST = 1_000;

/** Offers the operations that fit the state of the filter. The page of the list has no influence on them. */
export function bulkButtons(me, { before, ...query }) {
  const fitting = Object.keys(FITS).filter(each =>
    me.access === 'unrestricted' && FITS[each].includes(query.state) && (query.run || !query.key));
  return fitting.length === 0 ? '' : el('span', { class: 'buttons' }, fitting.map(action => el('button', {
    type: 'button', 'data-focus': `bulk ${action}`, onclick: () => preview(me, action, query),
  }, t('bulk', { operation: labelOf(action) }))));
}

async function preview(me, action, query) {
  try {
    const found = await get('bulk', { ...query, operation: `bulk.${action}` });
    confirm(me, action, new URLSearchParams(query).toString(), found);
  } catch (problem) {
    say(messageOf(problem), true);
  }
}

function confirm(me, action, query, { count: { count, capped }, latest, examples }) {
  const dialog = byId('dialog');
  const most = Math.min(count, MOST);
  const title = t('bulk.confirm', { operation: labelOf(action), count: number(most) });
  const reason = el('input', { name: 'reason', maxlength: 1000, autocomplete: 'off' });
  const progress = el('p', { role: 'status' });
  const start = async event => {
    event.preventDefault();
    event.target.querySelector('.primary').disabled = true;
    await perform(me, { operation: `bulk.${action}`, query, latest, reason: reason.value || null }, most, progress);
    dialog.close();
    refresh();
  };
  dialog.replaceChildren(el('form', { onsubmit: start },
    el('h2', { id: 'dialog-title' }, title),
    el('p', {}, t('bulk.selected', { count: number(count, capped), query })),
    el('ul', {}, examples.map(each => el('li', {}, `${each.run} ${each.id}`))),
    el('p', {}, t(`means.run.${action}`)),
    action === 'cancel' ? el('label', {}, t('field.reason'), reason) : '',
    progress,
    el('p', { class: 'buttons' },
      most > 0 ? el('button', { class: 'primary' }, title) : '',
      el('button', { type: 'button', onclick: () => dialog.close() }, t('back')))));
  dialog.showModal();
}

/** Sends one request for each slice, so that the progress is seen, and closing the dialog stops the rest. */
async function perform(me, request, most, progress) {
  const sum = { done: 0, refused: 0, unknown: 0, failed: 0 };
  let left = most;
  let next = null;
  try {
    do {
      const result = await operate(me, { ...request, next, count: Math.min(left, SLICE) });
      for (const each of Object.keys(sum)) {
        sum[each] += result[each];
        left -= result[each];
      }
      next = result.next;
      progress.textContent = t('bulk.progress', { ...sum, most: number(most) });
    } while (left > 0 && next && byId('dialog').open);
    say(t('bulk.progress', { ...sum, most: number(most) }), sum.done < most);
  } catch (problem) {
    say(`${t('bulk.progress', { ...sum, most: number(most) })} ${messageOf(problem)}`, true);
  }
}
