import { get, post, sentenceOf } from './shared/api.js';
import { byId, el, svg } from './shared/dom.js';

// The delay is long enough for the second request to arrive while the first one is still executing.
const AT_WORK = { 'X-Simulate': 'delay=2000' };
const PATIENCE = 10000;

const once = () => `two-at-once-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 6)}`;

/** The requests to send twice, with and without protection, and the effects to count afterwards. */
const SCENARIOS = {
  'Send a reminder; two people press the button': {
    counted: 'mail',
    sides: [
      { title: 'With a claim state', requester: 'admin', says: 'The second request is refused before the action.' },
      { title: 'With the version check alone', requester: 'system', says: 'Both requests execute the action. One write is refused, but its mail has been sent.' },
    ].map(side => ({
      ...side,
      async prepare() {
        const about = once();
        const reminder = (await post('/api/reminders', { about })).body;
        return {
          press: () => post(`/api/reminders/${reminder.id}/steps/send`, undefined, { 'X-Requester': side.requester, ...AT_WORK }),
          count: async () => (await get(`/api/effects?kind=email&ref=${about}`)).length,
        };
      },
    })),
  },
  'Credit 500 cents; the client repeats its request': {
    counted: 'credit',
    sides: [
      { title: 'With an Idempotency-Key', isKeyed: true, says: 'A repeated request gets the first reply, or a 409 while the first request runs.' },
      { title: 'Without a key', isKeyed: false, says: 'A repeated request looks like a new one.' },
    ].map(side => ({
      ...side,
      async prepare() {
        const account = (await post('/api/accounts', { owner: 'ada' })).body.accountId;
        const key = side.isKeyed ? { 'Idempotency-Key': once() } : {};
        return {
          press: () => post(`/api/accounts/${account}/credits`, { amountCents: 500 }, { ...key, ...AT_WORK }),
          count: async () => (await get(`/api/accounts/${account}`)).balanceCents / 500,
        };
      },
    })),
  },
};

export function showRace() {
  const form = byId('race');
  form.elements.scenario.append(...Object.keys(SCENARIOS).map(name => el('option', {}, name)));
  form.addEventListener('submit', async submitted => {
    submitted.preventDefault();
    const scenario = SCENARIOS[form.elements.scenario.value];
    const button = form.querySelector('button');
    button.disabled = true;
    byId('race-result').replaceChildren(el('p', { class: 'hint' }, 'Both requests are running.'));
    try {
      const sides = await Promise.all(scenario.sides.map(run));
      byId('race-result').replaceChildren(...sides.map(side => figure(side, scenario.counted)));
    } catch (unreachable) {
      byId('race-result').replaceChildren(el('p', { class: 'hint' }, 'The service does not answer.'));
    } finally {
      button.disabled = false;
      button.focus();
    }
  });
}

async function run(side) {
  const { press, count } = await side.prepare();
  const begun = performance.now();
  const pressed = ['first', 'second'].map(async name => {
    const answer = await press();
    return { name, answer, millis: performance.now() - begun };
  });
  const requests = await Promise.all(pressed);
  return { ...side, requests, count: await counted(count) };
}

/** Reads the count until it is not zero, or for 10 s, in case an effect is recorded only after the responses. */
async function counted(count) {
  const until = performance.now() + PATIENCE;
  let found = await count();
  while (found === 0 && performance.now() < until) {
    await new Promise(later => { setTimeout(later, 100); });
    found = await count();
  }
  return found;
}

function figure(side, counted) {
  const longest = Math.max(...side.requests.map(request => request.millis));
  const outcome = `${side.count} ${counted}${side.count === 1 ? '' : 's'}`;
  return el('figure', { class: `card ${side.count === 1 ? 'once' : 'twice'}` },
    el('figcaption', {}, el('h3', {}, side.title), el('p', { class: 'hint' }, side.says)),
    el('ul', { class: 'lanes' }, side.requests.map(request => lane(request, longest))),
    el('p', { class: 'count' }, marks(side.count), ` ${outcome}`));
}

function lane({ name, answer, millis }, longest) {
  const sentence = answer.isGood ? '' : `: ${sentenceOf(answer)}`;
  return el('li', {},
    svg('svg', { viewBox: '0 0 300 12', 'aria-hidden': 'true', preserveAspectRatio: 'none' },
      svg('rect', { class: 'track', width: 300, height: 12, rx: 3 }),
      svg('rect', { class: answer.isGood ? 'won' : 'lost', width: Math.max(4, (300 * millis) / longest), height: 12, rx: 3 })),
    `The ${name}: `, el('strong', {}, answer.isGood ? 'done' : 'refused'), ` after ${Math.round(millis)} ms${sentence}`);
}

function marks(count) {
  return Array.from({ length: count }, () => svg('svg', { class: 'mark', viewBox: '0 0 24 18', 'aria-hidden': 'true' },
    svg('rect', { x: 1, y: 1, width: 22, height: 16, rx: 2 }), svg('path', { d: 'm2 3 10 7 10-7' })));
}
