// Asks for a confirmation that names the consequence, and requests the operation.

import { byId, el, say } from './dom.js';
import { operate } from './api.js';
import { labelOf, t, textOr } from './texts.js';

/** The fields of each operation, or of its verb. A field that ends with a question mark may stay empty. */
const FIELDS = {
  'run.cancel': ['reason?'],
  'run.done': ['step', 'result'],
  'run.not-done': ['step'],
  'run.signal': ['signal', 'payload', 'key?'],
  'callback.complete': ['step', 'result'],
  'callback.fail': ['step', 'reason'],
  'delivery.give-up': ['reason?'],
  free: ['reason?'],
  pause: ['reason'],
  'queue.limits': ['limit', 'perKey?', 'reason'],
  'schedule.backfill': ['from', 'to', 'overlap'],
};

const DEFAULTS = { result: 'null', payload: 'null', overlap: 'allow' };

let changed = () => {};

/** Shows what an operation has changed. */
export const refresh = () => changed();

/** Calls the listener after each operation. */
export const afterOperations = listener => { changed = listener; };

/** True while a dialog is open. An update must then not disturb it. */
export const isAsking = () => byId('dialog').open;

export const messageOf = problem =>
  textOr(`problem.${problem.code}`, problem.message).replace('{detail}', () => problem.message);

export function ask(me, operation, target, fixed, suggestions) {
  const dialog = byId('dialog');
  const fields = (FIELDS[operation] ?? FIELDS[operation.split('.').at(-1)] ?? []).map(field => fieldOf(field, suggestions));
  const form = el('form', { onsubmit: event => submit(event, me, operation, fixed, fields) },
    el('h2', { id: 'dialog-title' }, t('confirm', { operation: labelOf(operation), target })),
    el('p', {}, t(`means.${operation}`)),
    fields.map(each => each.label),
    el('p', { class: 'buttons' },
      el('button', { class: 'primary' }, labelOf(operation)),
      el('button', { type: 'button', onclick: () => dialog.close() }, t('back'))));
  dialog.replaceChildren(form);
  dialog.showModal();
}

function fieldOf(field, suggestions) {
  const name = field.replace('?', '');
  const input = el('input', {
    name, required: name === field, value: suggestions[name] ?? DEFAULTS[name] ?? '', maxlength: 10_000,
    autocomplete: 'off',
  });
  return { name, input, label: el('label', {}, t(`field.${name}`), input) };
}

async function submit(event, me, operation, fixed, fields) {
  event.preventDefault();
  const request = { operation, ...fixed };
  for (const { name, input } of fields) {
    if (input.value !== '') {
      request[name] = input.value;
    }
  }
  const pressed = event.target.querySelector('.primary');
  pressed.disabled = true;
  try {
    const result = await operate(me, request);
    byId('dialog').close();
    say(result.message, result.result !== 'ACCEPTED');
    changed();
  } catch (problem) {
    // The dialog stays open, so that nothing that was typed is lost.
    say(messageOf(problem), true);
  } finally {
    pressed.disabled = false;
  }
}
