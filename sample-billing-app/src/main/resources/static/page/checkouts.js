import { attempt, get, post, watch } from './shared/api.js';
import { badge, byId, el, show, time } from './shared/dom.js';

let chosen = null;
let refreshNow;

export function showCheckouts() {
  byId('check-out').addEventListener('submit', start);
  refreshNow = watch(refresh);
}

async function refresh() {
  const checkouts = await get('/api/checkouts');
  show(byId('checkout-list'), checkouts.map(each => ({ ...each, isChosen: each.executionId === chosen })),
    each => each.executionId, summary);
  if (chosen) {
    show(byId('timeline'), [await get(`/api/checkouts/${chosen}/timeline`)], () => chosen, timeline);
  }
}

function summary(checkout) {
  return el('button', {
    type: 'button', class: 'card choice', 'data-focus': checkout.executionId, 'aria-pressed': String(checkout.isChosen),
    onclick: () => choose(checkout.executionId),
  }, `${checkout.orderId} `, badge(checkout.state), el('span', { class: 'hint' }, ` ${time(checkout.startedAt)}`));
}

function choose(executionId) {
  chosen = executionId;
  refreshNow();
}

async function start(submitted) {
  submitted.preventDefault();
  const form = submitted.target;
  const { orderId, cents, trouble, courier } = Object.fromEntries(new FormData(form));
  const simulate = Object.fromEntries([
    ...(courier ? [['auto_courier', 'true']] : []),
    ...(trouble ? [trouble.split('=')] : []),
  ]);
  const order = { orderId, amountCents: Number(cents), paymentToken: 'tok_1', simulate };
  const answer = await attempt(() => post('/api/checkouts', order), checkout => `Checkout of ${orderId} is ${checkout.state}.`);
  if (answer?.isGood) {
    form.elements.orderId.value = '';
    choose(answer.body.executionId);
  }
}

function timeline(checkout) {
  const step = name => checkout.steps.find(each => each.name === name && each.state === 'waiting');
  const address = `/api/checkouts/${checkout.executionId}`;
  return el('div', {},
    el('h3', {}, `${checkout.orderId} `, badge(checkout.state)),
    el('p', { class: 'hint key' }, checkout.executionId),
    el('p', { class: 'hint' }, `Started at ${time(checkout.startedAt)}`,
      checkout.endedAt ? `, ended at ${time(checkout.endedAt)}` : '',
      checkout.cancelReason ? `, cancelled: ${checkout.cancelReason}` : ''),
    el('ol', { class: 'timeline' }, checkout.steps.map(entry)),
    el('p', { class: 'row' },
      step('approval') ? [decision(address, 'approved', 'Approve'), decision(address, 'rejected', 'Reject')] : null,
      step('arrange_fulfillment') ? courierButtons(address) : null,
      checkout.endedAt ? null : ask('Cancel', () => post(`${address}/cancel`, { reason: 'by hand' }),
        seen => `The cancellation is recorded. The checkout is ${seen.state}.`)));
}

function entry(step) {
  return el('li', { class: step.state },
    el('strong', {}, step.name.replaceAll('_', ' ')), ' ', badge(step.state),
    el('ul', {}, eventsOf(step).map(sentence => el('li', {}, sentence))));
}

/** Describes the events of a step in chronological order. */
function eventsOf(step) {
  return [
    step.attempt > 0 ? `attempt ${step.attempt}, started at ${time(step.startedAt)}` : null,
    step.waitingSince ? `waiting since ${time(step.waitingSince)}${step.deadline ? `, until ${time(step.deadline)} at the latest` : ''}` : null,
    step.heartbeatAt ? `last heartbeat at ${time(step.heartbeatAt)}` : null,
    step.error ? `failed: ${step.error.message ?? step.error.type}` : null,
    step.nextAttemptAt ? `next attempt at ${time(step.nextAttemptAt)}` : null,
    step.endedAt ? `ended at ${time(step.endedAt)}` : null,
    step.compensatedAt ? `compensated at ${time(step.compensatedAt)}${step.emptyRollback ? ', although the step is not known to have taken effect' : ''}` : null,
  ].filter(Boolean);
}

function ask(text, asked, done) {
  return el('button', { type: 'button', 'data-focus': text, onclick: async () => {
    await attempt(asked, done);
    refreshNow();
  } }, text);
}

function decision(address, decided, text) {
  return ask(text, () => post(`${address}/signals/approval`, { approvedBy: 'the page', decision: decided }),
    seen => `The checkout was ${decided}, and is ${seen.state}.`);
}

/** Lets the user play the courier, with the parcel's token. */
function courierButtons(address) {
  const callBack = (verb, body) => async () => {
    const { token } = await get(`${address}/courier`);
    return post(`${address}/steps/arrange_fulfillment/${verb}`, body, { 'X-Callback-Token': token });
  };
  const result = answer => answer.applied ? 'The callback was accepted.' : answer.because;
  return [
    ask('Courier: delivered', callBack('complete', { deliveredBy: 'the page' }), result),
    ask('Courier: failed', callBack('fail', { type: 'flat tyre', message: 'The van cannot drive.', details: {} }), result),
    ask('Courier: ten minutes more', callBack('extend', { by: 'PT10M' }), result),
  ];
}
