// The nodes that hold something now.

import { el } from '../dom.js';
import { get } from '../api.js';
import { t } from '../texts.js';
import { when } from '../time.js';
import { facts, heading, link, number, table } from '../parts.js';

const held = (kind, view, parameters) => [kind, node => node.holds[kind]
  ? view ? link(view, parameters(node), number(node.holds[kind])) : number(node.holds[kind]) : '', true];

const columns = [
  ['node', node => node.here ? `${node.name} (${t('thisNode')})` : node.name],
  ['heartbeat', node => when(node.heartbeatAt)],
  held('runs', 'runs', node => ({ node: node.name })),
  held('claims', 'claims', () => ({})),
  held('deliveries', 'deliveries', () => ({ state: 'delivering' })),
  held('leases', 'leases', node => ({ node: node.name, state: 'held' })),
  held('keys', 'keys', node => ({ node: node.name, state: 'processing' })),
];

export async function nodes() {
  const found = await get('nodes');
  const here = found.items.find(each => each.here);
  return { content: [
    heading(t('nodes')),
    el('p', { class: 'quiet' }, t('nodesHold'), found.complete ? '' : ` ${t('incomplete')}`),
    table(t('nodes'), columns, found.items),
    el('h2', {}, t('thisNode')),
    facts([['node', here.name], ['version', here.version], ['library', here.library],
      ['executes', here.executes.join(', ')]]),
  ] };
}
