import { attempt, get, post, watch } from './shared/api.js';
import { badge, byId, el, show } from './shared/dom.js';
import { diagram } from './shared/diagram.js';

const PAGE = 6;
const SLOWLY = { 'X-Simulate': 'delay=5000' };

let workflows;
let refreshNow;
let page = null;
let latest = 0;

export function showBillings(all) {
  workflows = new Map(all.map(workflow => [workflow.name, workflow]));
  byId('requester').append(...workflows.get('billing').requesters.map(name => el('option', {}, name)));
  byId('requester').addEventListener('change', () => refreshNow());
  byId('open-billing').addEventListener('submit', open);
  refreshNow = watch(refresh);
}

/** Shows the last page of billings, unless the user has turned to another page. */
async function refresh() {
  let seen = await get(`/api/billings?size=${PAGE}&page=${page ?? latest}`);
  const last = Math.max(0, Math.ceil(seen.total / PAGE) - 1);
  if (page === null && last !== latest) {
    latest = last;
    seen = await get(`/api/billings?size=${PAGE}&page=${latest}`);
  }
  const requester = byId('requester').value;
  show(byId('billing-list'), seen.content.map(billing => ({ ...billing, requester })), billing => billing.id, card);
  show(byId('billing-pages'), last === 0 ? [] : [{ at: seen.page, last }], () => 'pages', turn);
}

function turn({ at, last }) {
  const to = (text, target) =>
    el('button', { type: 'button', 'data-focus': text, disabled: target < 0 || target > last, onclick: () => {
      page = target === last ? null : target;
      refreshNow();
    } }, text);
  return el('span', { class: 'row' }, to('Earlier', at - 1), `${at + 1} of ${last + 1}`, to('Later', at + 1));
}

async function open(submitted) {
  submitted.preventDefault();
  const form = submitted.target;
  const { period, number, cents, customer } = Object.fromEntries(new FormData(form));
  const invoices = [{ number, amountCents: Number(cents), customer }];
  const answer = await attempt(() => post('/api/billings', { period, invoices }), billing => `Billing ${billing.id} was opened.`);
  if (answer?.isGood) {
    form.elements.number.value = '';
    page = null;
  }
  refreshNow();
}

function card(billing) {
  return el('article', { class: 'card', 'aria-label': `Billing ${billing.id}` },
    el('h3', {}, `Billing ${billing.id} `, badge(billing.status)),
    el('p', { class: 'hint' }, `${billing.period}, version ${billing.version}`),
    next('billing', billing, `/api/billings/${billing.id}`),
    diagram(workflows.get('billing'), billing.status),
    el('ul', { class: 'invoices' }, billing.invoices.map(invoice => line(invoice, billing.requester))));
}

function line(invoice, requester) {
  const name = el(invoice.deleted ? 'del' : 'span', {}, `${invoice.number}, ${invoice.amountCents} cents `);
  return el('li', {}, name, badge(invoice.status), invoice.deleted
    ? el('span', { class: 'hint' }, ' was replaced')
    : next('invoice', { ...invoice, requester }, `/api/invoices/${invoice.id}`));
}

/** Shows the next steps. In a claim state there are none, because another caller is working. */
function next(name, entity, address) {
  const workflow = workflows.get(name);
  const steps = workflow.steps.filter(step =>
    step.from === entity.status && (step.to[entity.requester] ?? step.to.any));
  if (workflow.claimStates.includes(entity.status)) {
    return el('p', { class: 'hint' }, 'Another caller is working on it.');
  }
  if (steps.length === 0) {
    return el('p', { class: 'hint' }, 'There is no further step.');
  }
  return el('p', { class: 'row' }, steps.map(step =>
    el('button', {
      type: 'button',
      'data-focus': `${address} ${step.key}`,
      'aria-label': `${words(step.key)}, ${name} ${entity.number ?? entity.id}`,
      onclick: () => run(address, step.key, entity),
    }, words(step.key))));
}

const words = key => key.replaceAll('_', ' ');

async function run(address, step, entity) {
  const slowly = byId('slowly').checked ? SLOWLY : {};
  const body = step === 'apply_payment' ? { amountCents: entity.amountCents, reference: 'by hand' } : undefined;
  const answer = attempt(
    () => post(`${address}/steps/${step}`, body, { 'X-Requester': entity.requester, ...slowly }),
    done => `The status is now ${done.status}.`);
  refreshNow();
  await answer;
  refreshNow();
}
