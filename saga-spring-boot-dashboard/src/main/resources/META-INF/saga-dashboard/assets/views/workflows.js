// The workflows, each as a picture and as a table, and the place of an entity.

import { el } from '../dom.js';
import { get } from '../api.js';
import { t } from '../texts.js';
import { when } from '../time.js';
import { diagram } from '../diagram.js';
import { badge, buttons, facts, filter, heading, link, table } from '../parts.js';
import { messageOf } from '../operations.js';

const columns = [
  ['step', edge => edge.step],
  ['from', edge => edge.from],
  ['claim', edge => edge.claim ?? ''],
  ['to', edge => edge.to],
  ['by', edge => edge.by],
];

/** Reads an entity. If that fails, the diagrams are still shown. */
async function find(workflow, id, tenant) {
  try {
    return await get('entity', tenant === undefined ? { workflow, id } : { workflow, id, tenant });
  } catch (problem) {
    if (problem.status === 400 || problem.status === 404) {
      return { problem };
    }
    throw problem;
  }
}

function place(me, { problem, id, status, version, claim }) {
  if (problem) {
    return el('p', { class: 'lead person', role: 'alert' }, messageOf(problem));
  }
  return el('section', {},
    el('p', { class: 'lead' }, t('standsIn', { entity: id, state: status }), ' ', t(claim ? 'isClaimed' : 'isFree')),
    facts([
      ['state', badge(status)], ['version', version], ['requester', claim?.requester], ['node', claim?.node],
      ['since', claim ? when(claim.claimedAt) : ''],
    ]),
    claim ? buttons(me, claim, `${claim.entity} ${claim.id}`,
      { entity: claim.entity, id: claim.id, token: claim.token, tenant: claim.tenant }) : '');
}

export async function workflows(me, parameters) {
  const { id, tenant } = parameters;
  const found = await get('workflows');
  const only = parameters.workflow ?? (id && found.items.length === 1 ? found.items[0].name : null);
  const shown = found.items.filter(workflow => !only || workflow.name === only);
  const entity = only && id ? await find(only, id, tenant) : null;
  return { content: [
    heading(t('workflows')),
    filter('workflows', parameters, [['workflow', found.items.map(each => each.name)], 'id', 'tenant']),
    entity ? place(me, entity) : '',
    shown.length === 0 ? el('p', { class: 'empty' }, t('none')) : el('p', { class: 'quiet' }, t('legend')),
    shown.map(workflow => el('section', {},
      el('h2', {}, link('workflows', { workflow: workflow.name }, workflow.name), ' ',
        el('span', { class: 'quiet' }, workflow.entity.split('.').at(-1))),
      diagram(workflow, entity?.status),
      table(workflow.name, columns, workflow.edges))),
  ] };
}
