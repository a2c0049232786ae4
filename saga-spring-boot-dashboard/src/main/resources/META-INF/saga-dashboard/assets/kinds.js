// The numbers of runs of each kind and state, as a table. A number leads to its runs.

import { el } from './dom.js';
import { t } from './texts.js';
import { badge, link, number } from './parts.js';

const cell = (run, state, { count, capped }) => link('runs', { run, state }, number(count, capped));

export function kinds(found) {
  if (!found) {
    return el('p', { class: 'empty' }, t('counting'));
  }
  if (found.length === 0) {
    return el('p', { class: 'empty' }, t('nothingYet'));
  }
  const states = [...new Set(found.flatMap(kind => Object.keys(kind.states)))].sort();
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('byKind') }, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('col.run')),
      states.map(state => el('th', { scope: 'col', class: 'number' }, badge(state))))),
    el('tbody', {}, found.map(({ run, known, states: of }) => el('tr', {},
      el('td', { class: 'run', 'data-name': t('col.run') }, link('runs', { run }, run),
        known ? '' : el('span', { class: 'quiet' }, ' ', t('noHandler'))),
      states.map(state => el('td', { class: 'number', 'data-name': t(`state.${state}`) },
        of[state] ? cell(run, state, of[state]) : '')))))));
}
