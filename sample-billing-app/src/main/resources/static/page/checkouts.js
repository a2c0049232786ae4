import { attempt, get, post, watch } from './shared/api.js';
import { badge, byId, el, show, time } from './shared/dom.js';

let chosen = null;
let lookAgain;

export function showCheckouts() {
  byId('check-out').addEventListener('submit', start);
  lookAgain = watch(look);
}

async function look() {
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
  lookAgain();
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
      checkout.endedAt ? `, over at ${time(checkout.endedAt)}` : '',
      checkout.cancelReason ? `, cancelled: ${checkout.cancelReason}` : ''),
    el('ol', { class: 'timeline' }, checkout.steps.map(entry)),
    el('p', { class: 'row' },
      step('approval') ? [decision(address, 'approved', 'Approve'), decision(address, 'rejected', 'Reject')] : null,
      step('arrange_fulfillment') ? courierButtons(address) : null,
      checkout.endedAt ? null : ask('Cancel', () => post(`${address}/cancel`, { reason: 'by hand' }),
        seen => `It was told to stop, and is ${seen.state}.`)));
}

function entry(step) {
  return el('li', { class: step.state },
    el('strong', {}, step.name.replaceAll('_', ' ')), ' ', badge(step.state),
    el('ul', {}, happened(step).map(sentence => el('li', {}, sentence))));
}

/** What is known of a step, in the order in which it happened. */
function happened(step) {
  return [
    step.attempt > 0 ? `attempt ${step.attempt}, its turn came at ${time(step.startedAt)}` : null,
    step.waitingSince ? `waits since ${time(step.waitingSince)}${step.deadline ? `, until ${time(step.deadline)} at the latest` : ''}` : null,
    step.heartbeatAt ? `somebody was at work at ${time(step.heartbeatAt)}` : null,
    step.error ? `failed: ${step.error.message ?? step.error.type}` : null,
    step.nextAttemptAt ? `is tried again at ${time(step.nextAttemptAt)}` : null,
    step.endedAt ? `over at ${time(step.endedAt)}` : null,
    step.compensatedAt ? `undone at ${time(step.compensatedAt)}${step.emptyRollback ? ', if it took effect at all' : ''}` : null,
  ].filter(Boolean);
}

function ask(text, asked, done) {
  return el('button', { type: 'button', 'data-focus': text, onclick: async () => {
    await attempt(asked, done);
    lookAgain();
  } }, text);
}

function decision(address, decided, text) {
  return ask(text, () => post(`${address}/signals/approval`, { approvedBy: 'the page', decision: decided }),
    seen => `It is ${decided}, and the checkout is ${seen.state}.`);
}

/** Plays the courier, with what he was given. */
function courierButtons(address) {
  const says = (verb, body) => async () => {
    const { token } = await get(`${address}/courier`);
    return post(`${address}/steps/arrange_fulfillment/${verb}`, body, { 'X-Callback-Token': token });
  };
  const heard = answer => answer.applied ? 'The courier was heard.' : answer.because;
  return [
    ask('Courier: delivered', says('complete', { deliveredBy: 'the page' }), heard),
    ask('Courier: failed', says('fail', { type: 'flat tyre', message: 'The van stands still.', details: {} }), heard),
    ask('Courier: ten minutes more', says('extend', { by: 'PT10M' }), heard),
  ];
}
