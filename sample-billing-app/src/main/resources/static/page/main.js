import { get } from './shared/api.js';
import { byId, el } from './shared/dom.js';
import { diagram } from './shared/diagram.js';
import { showBillings } from './billings.js';
import { showCheckouts } from './checkouts.js';
import { showEffects } from './effects.js';
import { showRace } from './race.js';

const workflows = await get('/api/workflows');

byId('diagrams').append(...workflows.map(workflow =>
  el('figure', { class: 'card' },
    el('figcaption', {}, el('h3', {}, workflow.name), ` of module ${workflow.module}`),
    diagram(workflow))));

showRace();
showBillings(workflows);
showCheckouts();
showEffects();
