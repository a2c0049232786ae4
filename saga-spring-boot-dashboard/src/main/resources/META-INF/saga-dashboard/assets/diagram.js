// Draws the states of a workflow from left to right. An edge never runs behind a state. An edge that crosses columns
// has a row of its own in each of them. An edge that leads back runs below all states.

import { el, svg } from './dom.js';
import { t } from './texts.js';

const LETTER = 7.4;
const SMALL_LETTER = 6.4;
const HEIGHT = 32;
const ROW = 60;
const LANE = 24;
const MARGIN = 12;
const LONGEST = 30;

let count = 0;

const short = text => text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;

/** Draws a workflow, and marks the current state if there is one. */
export function diagram(workflow, current) {
  const { states, forward, back, width, height } = layOut(workflow);
  const head = `head-${++count}`;
  const claims = new Set(workflow.edges.map(edge => edge.claim));
  const arrow = (path, x, y, label) => svg('g', {},
    svg('path', { class: 'edge', d: path, 'marker-end': `url(#${head})` }),
    label
      ? svg('text', { class: 'step', x, y, 'text-anchor': 'middle' }, svg('title', {}, label), short(label))
      : null);
  const name = t('picture', { name: workflow.name });
  const box = state => svg('g', {
    class: `node${claims.has(state.name) ? ' claim' : ''}${state.name === current ? ' here' : ''}`,
  },
  svg('title', {}, state.name),
  svg('rect', { x: state.x, y: state.y - HEIGHT / 2, width: state.width, height: HEIGHT, rx: 6 }),
  svg('text', { x: state.x + state.width / 2, y: state.y + 4, 'text-anchor': 'middle' }, short(state.name)));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name },
    svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
      svg('defs', {}, svg('marker', {
        id: head, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto',
      }, svg('path', { d: 'M0 0L8 4L0 8z', class: 'tip' }))),
      forward.map(edge => arrow(...curve(edge))),
      back.map(edge => arrow(...(edge.from === edge.to ? loop(edge) : detour(edge)))),
      states.map(box)));
}

/** Returns one edge for each pair of states. A step with a claim leads through the claim state. */
function edgesOf(workflow) {
  const edges = new Map();
  const add = (from, to, label) => {
    const key = JSON.stringify([from, to]);
    const edge = edges.get(key) ?? { from, to, labels: new Set() };
    edges.set(key, edge);
    edge.labels.add(label);
  };
  for (const { from, to, step, claim, by } of workflow.edges) {
    const label = by === 'any' ? step : `${step} (${by})`;
    add(from, claim ?? to, label);
    if (claim) {
      add(claim, to, '');
    }
  }
  return [...edges.values()].map(edge => ({ ...edge, label: [...edge.labels].filter(Boolean).join(', ') }));
}

/** Finds the edges that close a circle. Without them, each state has a column after the states that lead to it. */
function findBack(names, edges) {
  const back = new Set();
  const done = new Set();
  const path = new Set();
  const visit = name => {
    path.add(name);
    for (const edge of edges.filter(each => each.from === name)) {
      if (path.has(edge.to)) {
        back.add(edge);
      } else if (!done.has(edge.to)) {
        visit(edge.to);
      }
    }
    path.delete(name);
    done.add(name);
  };
  const targets = new Set(edges.filter(edge => edge.from !== edge.to).map(edge => edge.to));
  [...names.filter(name => !targets.has(name)), ...names].forEach(name => done.has(name) || visit(name));
  return back;
}

function columnsOf(names, edges) {
  const column = new Map(names.map(name => [name, 0]));
  // Without circles, the columns are final after as many rounds as there are states.
  for (let round = 0; round < names.length; round++) {
    edges.forEach(({ from, to }) => column.set(to, Math.max(column.get(to), column.get(from) + 1)));
  }
  return column;
}

function layOut(workflow) {
  const edges = edgesOf(workflow);
  const names = [...new Set([...workflow.states, ...edges.flatMap(edge => [edge.from, edge.to])])];
  const back = findBack(names, edges);
  const forward = edges.filter(edge => !back.has(edge));
  const column = columnsOf(names, forward);
  const states = new Map(names.map(name =>
    [name, { name, column: column.get(name), width: short(name).length * LETTER + 24 }]));
  const ways = forward.map(edge => {
    const between = [];
    for (let at = column.get(edge.from) + 1; at < column.get(edge.to); at++) {
      between.push({ column: at, width: 0 });
    }
    return { ...edge, stops: [states.get(edge.from), ...between, states.get(edge.to)] };
  });
  const stops = [...states.values(), ...ways.flatMap(way => way.stops.slice(1, -1))];
  const right = placeColumns(stops, ways);
  const bottom = Math.max(MARGIN, ...stops.map(stop => stop.y)) + HEIGHT;
  let lanes = 0;
  const returning = [...back].map(({ from, to, label }) =>
    ({ from: states.get(from), to: states.get(to), label, lane: from === to ? 0 : bottom + lanes++ * LANE, lanes }));
  return { states: [...states.values()], forward: ways, back: returning, width: Math.ceil(right + MARGIN),
    height: bottom + lanes * LANE };
}

/** Gives each stop its place, and each column its sides. Returns the right end. */
function placeColumns(stops, ways) {
  const columns = [];
  stops.forEach(stop => (columns[stop.column] ??= []).push(stop));
  const most = Math.max(1, ...columns.map(column => column.length));
  const sourceOf = stop => {
    const sources = ways.flatMap(way => way.stops.filter((each, at) => way.stops[at + 1] === stop));
    const heights = sources.map(each => each.y);
    return heights.length === 0 ? 0 : heights.reduce((sum, y) => sum + y, 0) / heights.length;
  };
  let left = MARGIN + 20;
  columns.forEach((column, index) => {
    const width = Math.max(...column.map(stop => stop.width));
    column.map(stop => [sourceOf(stop), stop]).sort((one, other) => one[0] - other[0]).forEach(([, stop], row) => {
      stop.x = left + (width - stop.width) / 2;
      stop.side = { left, right: left + width };
      stop.y = MARGIN + ROW / 2 + (row + (most - column.length) / 2) * ROW;
    });
    const labels = ways.filter(way => way.stops[0].column === index).map(way => short(way.label).length);
    left += width + Math.max(56, Math.max(0, ...labels) * SMALL_LETTER + 28);
  });
  return Math.max(0, ...stops.map(stop => stop.x + stop.width)) + 20;
}

function curve({ stops, label }) {
  let path = `M${stops[0].x + stops[0].width} ${stops[0].y}`;
  stops.slice(1).forEach((to, at) => {
    const start = stops[at].x + stops[at].width;
    const middle = (start + to.x) / 2;
    path += `C${middle} ${stops[at].y} ${middle} ${to.y} ${to.x} ${to.y}`;
  });
  return [path, (stops[0].x + stops[0].width + stops[1].x) / 2, (stops[0].y + stops[1].y) / 2 - 6, label];
}

function loop({ from, label }) {
  const middle = from.x + from.width / 2;
  const top = from.y - HEIGHT / 2;
  const path = `M${middle + 14} ${top}C${middle + 20} ${top - 18} ${middle - 20} ${top - 18} ${middle - 14} ${top}`;
  return [path, middle, top - 15, label];
}

function detour({ from, to, lane, lanes, label }) {
  const start = from.x + from.width;
  const out = from.side.right + 8 + lanes * 3;
  const into = to.side.left - 8 - lanes * 3;
  return [`M${start} ${from.y}H${out}V${lane}H${into}V${to.y}H${to.x}`, (out + into) / 2, lane - 5, label];
}
