// The lists of leases and idempotency keys.

import { get } from '../api.js';
import { t } from '../texts.js';
import { when } from '../time.js';
import { badge, buttons, filter, heading, pages, shortId, table } from '../parts.js';

const LEASE_STATES = ['held', 'free', 'completed'];
const KEY_STATES = ['processing', 'abandoned', 'completed', 'expired'];

const leases = me => [
  ['name', lease => lease.name],
  ['tenant', lease => lease.tenant ?? ''],
  ['state', lease => badge(lease.state)],
  ['node', lease => lease.node],
  ['token', lease => lease.token, true],
  ['since', lease => when(lease.heldSince)],
  ['until', lease => when(lease.endsAt)],
  ['ended', lease => when(lease.endedAt)],
  ['operations', lease => buttons(me, lease, lease.name,
    { name: lease.name, tenant: lease.tenant, token: lease.token })],
];

const part = text => text === '-' ? '' : text;

const keys = me => [
  ['id', key => shortId(key.id)],
  ['operation', key => key.operation],
  ['owner', key => part(key.owner)],
  ['account', key => part(key.account)],
  ['tenant', key => key.tenant ?? ''],
  ['state', key => badge(key.state)],
  ['node', key => key.node],
  ['since', key => when(key.claimedAt)],
  ['expires', key => when(key.expiresAt)],
  ['operations', key => buttons(me, key, `${key.operation} …${key.id.slice(-8)}`, { id: key.id, token: key.token })],
];

const list = (name, columns, fields) => async (me, parameters) => {
  const found = await get(name, parameters);
  const shown = columns(me).filter(([column]) => column !== 'operations' || me.access === 'unrestricted');
  return { content: [
    heading(t(name)),
    filter(name, parameters, fields),
    table(t(name), shown, found.items),
    pages(name, parameters, found.next),
  ] };
};

export const locks = {
  leases: list('leases', leases, ['name', ['state', LEASE_STATES], 'node', 'tenant']),
  keys: list('keys', keys, ['operation', ['state', KEY_STATES], 'owner', 'node', 'tenant', 'account', 'request']),
};
