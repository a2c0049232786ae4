// Draws when each step began, failed, waited and ended. The tables have the same content.

import { el, svg } from './dom.js';
import { t } from './texts.js';
import { databaseTime, moment } from './time.js';

const NAME = 190;
const WIDTH = 640;
const ROW = 24;
const TOP = 8;
const MOST = 40;

const KINDS = { done: 'good', waiting: 'open', intent: 'open', failed: 'bad', attempt_failed: 'bad', timed_out: 'bad',
  refused: 'bad' };

const known = times => times.filter(Boolean).map(Date.parse);

/** A row shows a line from its first to its last mark, and a dashed line to the end of its wait. */
function journalRows(steps) {
  const rows = new Map();
  for (const entry of steps.filter(each => each.at)) {
    const row = rows.get(entry.step) ?? { name: entry.step, marks: [] };
    rows.set(entry.step, row);
    row.marks.push({ at: Date.parse(entry.at), kind: KINDS[entry.mark] ?? 'ahead', what: entry.mark });
    row.until = entry.until && Date.parse(entry.until);
  }
  return [...rows.values()].map(row => ({ ...row, from: row.marks[0].at, to: row.marks.at(-1).at }));
}

function sagaRows(steps, shapeOf) {
  return steps.filter(step => step.startedAt).map(step => {
    const [from] = known([step.startedAt]);
    const isOpen = !step.endedAt && shapeOf(step) === 'open';
    const to = Math.max(...known([step.startedAt, step.endedAt, step.compensatedAt]), isOpen ? databaseTime() : 0);
    const marks = [
      ...known([step.endedAt]).map(at => ({ at, kind: step.compensatedAt ? 'good' : shapeOf(step), what: step.state })),
      ...known([step.compensatedAt]).map(at => ({ at, kind: 'undone', what: 'compensated' })),
    ];
    return { name: step.name, from, to, marks, until: known([step.deadline ?? step.nextAttemptAt])[0] };
  });
}

/** Draws a run by its journal, or a saga by its steps. Returns nothing if there is nothing to compare. */
export function timeline(found, shapeOf) {
  const rows = (found.saga ? sagaRows(found.saga.steps, shapeOf) : journalRows(found.steps)).slice(-MOST);
  const times = rows.flatMap(row => [row.from, row.to, row.until ?? row.to]);
  const start = Math.min(...times);
  const end = Math.max(...times);
  if (rows.length === 0 || start === end) {
    return '';
  }
  const x = at => NAME + (at - start) / (end - start) * WIDTH;
  const height = TOP + rows.length * ROW;
  const now = databaseTime();
  return el('div', { class: 'scroll timeline', tabindex: '0', role: 'region', 'aria-label': t('timeline') },
    svg('svg', { width: NAME + WIDTH + 24, height: height + 22, 'aria-hidden': 'true' },
      now > start && now < end ? svg('path', { class: 'now', d: `M${x(now)} ${TOP}V${height}` }) : null,
      rows.map((row, index) => drawn(row, TOP + index * ROW + ROW / 2, x)),
      svg('path', { class: 'axis', d: `M${NAME} ${height}H${NAME + WIDTH}` }),
      svg('text', { class: 'step', x: NAME, y: height + 15 }, moment(start)),
      svg('text', { class: 'step', x: NAME + WIDTH, y: height + 15, 'text-anchor': 'end' }, moment(end))));
}

function drawn(row, y, x) {
  const name = row.name.length > 24 ? `${row.name.slice(0, 23)}…` : row.name;
  return svg('g', {},
    svg('text', { x: 12, y: y + 4 }, svg('title', {}, row.name), name),
    row.until > row.to ? svg('path', { class: 'ahead', d: `M${x(row.to)} ${y}H${x(row.until)}` }) : null,
    svg('path', { class: 'span', d: `M${x(row.from)} ${y}H${Math.max(x(row.to), x(row.from) + 2)}` }),
    row.marks.map(mark => svg('circle', { class: mark.kind, cx: x(mark.at), cy: y, r: 4.5 },
      svg('title', {}, `${mark.what.replaceAll('_', ' ')} ${moment(mark.at)}`))));
}
