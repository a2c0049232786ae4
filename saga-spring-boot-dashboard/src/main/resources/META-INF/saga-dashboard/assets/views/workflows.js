// The workflows, each as a picture and as a table. The address can name the state in which an entity is.

import { el } from '../dom.js';
import { get } from '../api.js';
import { t } from '../texts.js';
import { diagram } from '../diagram.js';
import { heading, link, table } from '../parts.js';

const columns = [
  ['step', edge => edge.step],
  ['from', edge => edge.from],
  ['claim', edge => edge.claim ?? ''],
  ['to', edge => edge.to],
  ['by', edge => edge.by],
];

export async function workflows(me, { workflow: only, state, entity }) {
  const found = await get('workflows');
  const shown = found.items.filter(workflow => !only || workflow.name === only);
  return { content: [
    heading(t('workflows'), only ? link('workflows', {}, t('clear')) : ''),
    entity && state ? el('p', { class: 'lead' }, t('standsIn', { entity, state })) : '',
    shown.length === 0 ? el('p', { class: 'empty' }, t('none')) : el('p', { class: 'quiet' }, t('legend')),
    shown.map(workflow => el('section', {},
      el('h2', {}, workflow.name, ' ', el('span', { class: 'quiet' }, workflow.entity.split('.').at(-1))),
      diagram(workflow, only ? state : null),
      table(workflow.name, columns, workflow.edges))),
  ] };
}
