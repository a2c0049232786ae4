import { get, watch } from './shared/api.js';
import { byId, el, show, time } from './shared/dom.js';

const LATEST = 50;

export function showEffects() {
  watch(async () => {
    const effects = await get(`/api/effects?last=${LATEST}`);
    const numbered = effects.map((effect, index) => ({ ...effect, again: isAgain(effect, effects.slice(0, index)) }));
    show(byId('effect-rows'), numbered.reverse(), effect => `${effect.at} ${effect.key} ${effect.kind}`, row);
  });
}

const isAgain = (effect, earlier) => earlier.some(each => each.key === effect.key && each.kind === effect.kind);

function row(effect) {
  return el('tr', { class: effect.again ? 'again' : null },
    el('td', {}, time(effect.at)),
    el('td', {}, effect.kind, effect.again ? el('strong', {}, ' again') : null),
    el('td', {}, effect.ref),
    el('td', { class: 'key' }, effect.key),
    el('td', { class: 'key' }, effect.node));
}
