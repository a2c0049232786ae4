// The parts from which the views are made.

import { el } from './dom.js';
import { fieldTime, instantOf } from './time.js';
import { labelOf, language, t, textOr } from './texts.js';
import { addressOf, go } from './place.js';
import { ask } from './operations.js';

/** Shows a state as a word in a frame. The word, not the color, carries the meaning. */
export const badge = state =>
  el('span', { class: `badge ${String(state).toLowerCase()}` }, textOr(`state.${String(state).toLowerCase()}`, state));

export const link = (view, parameters, ...content) => el('a', { href: addressOf(view, parameters) }, ...content);

/** Shortens an id for a table. The whole id is shown when the pointer rests on it. */
export const shortId = id => el('span', { class: 'id', title: id }, `…${String(id).slice(-8)}`);

/**
 * Builds a table. Each column is the name of its heading, a function from a row to the content of a cell, and true if
 * the content is a number. A column without any content is left out.
 */
export function table(caption, columns, rows) {
  if (rows.length === 0) {
    return el('p', { class: 'empty' }, t('none'));
  }
  const cells = rows.map(row => columns.map(([, cell]) => cell(row) ?? ''));
  const used = columns.map((unused, index) => cells.some(row => row[index] !== '' && row[index].length !== 0));
  const ofUsed = (unused, index) => used[index];
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {},
      el('thead', {}, el('tr', {}, columns.filter(ofUsed).map(([name, , isNumber]) =>
        el('th', { scope: 'col', class: isNumber ? 'number' : null }, t(`col.${name}`))))),
      el('tbody', {}, cells.map(row => el('tr', {}, row.map((cell, index) => [cell, columns[index]]).filter(ofUsed)
        .map(([cell, [name, , isNumber]]) =>
          el('td', { class: isNumber ? 'number' : name, 'data-name': t(`col.${name}`) }, cell)))))));
}

/** Builds one button for each operation that the server offers for an object. */
export function buttons(me, item, target, fixed, suggestions = {}) {
  const offered = item.operations ?? [];
  return offered.length === 0 ? '' : el('span', { class: 'buttons' }, offered.map(operation =>
    el('button', {
      type: 'button',
      'data-focus': `${operation} ${target}`,
      'aria-label': `${labelOf(operation)}: ${target}`,
      onclick: () => ask(me, operation, target, fixed, suggestions),
    }, labelOf(operation))));
}

/** Shows an error in red, or nothing. */
export const errorOf = text => text ? el('span', { class: 'error', title: text }, text) : '';

export const stack = (key, lines) => lines.length === 0 ? '' : el('details', { 'data-key': key },
  el('summary', {}, t('trace')), el('pre', { tabindex: '0' }, lines.join('\n')));

/** Builds a list of facts. Facts without a value are left out. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => (value ?? '') !== '' && value.length !== 0);
  return el('dl', { class: 'facts' }, known.map(([name, value]) =>
    el('div', {}, el('dt', {}, t(`col.${name}`)), el('dd', {}, value))));
}

/**
 * Builds a filter that stays in the address. A field is a name, or a name and its choices. A name of a time begins with
 * 'started'.
 */
export function filter(view, parameters, fields) {
  const isTime = name => name.startsWith('started');
  const control = (name, choices) => choices
    ? el('select', { name, 'data-focus': name }, el('option', { value: '' }, t('all')), choices.map(choice =>
      el('option', { value: choice, selected: parameters[name] === choice }, textOr(`state.${choice}`, choice))))
    : el('input', {
      name, 'data-focus': name, autocomplete: 'off', type: isTime(name) ? 'datetime-local' : null,
      value: isTime(name) ? fieldTime(parameters[name]) : parameters[name] ?? '',
      placeholder: name === 'label' ? 'customer:42' : null,
    });
  const submit = event => {
    event.preventDefault();
    const entries = [...new FormData(event.target)];
    const values = entries.map(([name, value]) => [name, isTime(name) ? instantOf(value) : value.trim()]);
    go(addressOf(view, Object.fromEntries(values)));
  };
  return el('form', { class: 'filter', 'data-keep': JSON.stringify(parameters), role: 'search', onsubmit: submit },
    fields.map(field => [field].flat(1)).map(([name, choices]) =>
      el('label', {}, t(`col.${name}`), control(name, choices))),
    el('button', {}, t('filter')),
    Object.keys(parameters).length > 0 ? link(view, {}, t('clear')) : '');
}

export const number = (count, isCapped) => `${count.toLocaleString(language)}${isCapped ? '+' : ''}`;

/** Links to the first and the next page. */
export const pages = (view, parameters, next, by = 'after', back = 'first', on = 'further') => el('p', { class: 'pages' },
  parameters[by] ? link(view, { ...parameters, [by]: null }, t(back)) : '',
  next ? link(view, { ...parameters, [by]: next }, t(on)) : '');

export const heading = (title, ...beside) => el('div', { class: 'heading' }, el('h1', {}, title), ...beside);
