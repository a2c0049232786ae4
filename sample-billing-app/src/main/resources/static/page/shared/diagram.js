import { el, svg } from './dom.js';

const LETTER = 7.4;
const HEIGHT = 30;
const ROW = 64;
const GAP = 110;

let count = 0;

/** Draws the states of a workflow from left to right, with dashed claim states, and marks the current state. */
export function diagram(workflow, current) {
  const { places, paths, width, height } = layOut(nodesOf(workflow), edgesOf(workflow));
  const id = `diagram-${++count}`;
  const drawn = svg('svg', { class: 'diagram', width, height, role: 'img', 'aria-labelledby': `${id}-title ${id}-words` },
    svg('title', { id: `${id}-title` }, `States of ${workflow.name}${current ? `, currently ${current}` : ''}`),
    svg('desc', { id: `${id}-words` }, inWords(workflow)),
    svg('defs', {}, svg('marker', {
      id: `${id}-head`, viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto-start-reverse',
    }, svg('path', { d: 'M0 0 8 4 0 8z', class: 'head' }))),
    paths.map(path => arrow(path, `${id}-head`)),
    [...places.values()].filter(place => place.name).map(place => state(place, current)));
  // On a phone, the user scrolls the diagram, because a smaller one would not be readable. The keyboard can scroll it, too.
  return el('div', { class: 'drawn', tabindex: 0, role: 'group', 'aria-label': `Diagram of ${workflow.name}` }, drawn);
}

function nodesOf(workflow) {
  return workflow.states.map(name => ({ name, isClaim: workflow.claimStates.includes(name) }));
}

/**
 * Returns the edges between the states. For a requester that claims, a step leads through the claim state. For any other
 * requester, the step leads directly to the next state.
 */
function edgesOf(workflow) {
  const edges = new Map();
  const add = (from, to, label, who) => {
    const key = `${from} ${to} ${label}`;
    const known = edges.get(key) ?? { from, to, label, who: new Set() };
    edges.set(key, known);
    known.who.add(who);
  };
  for (const step of workflow.steps) {
    for (const requester of workflow.requesters) {
      const to = step.to[requester] ?? step.to.any;
      const claim = step.claim[requester] ?? step.claim.any;
      if (to && claim) {
        add(step.from, claim.into, step.key, requester);
        add(claim.into, to, '', requester);
      } else if (to) {
        add(step.from, to, step.key, requester);
      }
    }
  }
  return [...edges.values()].map(edge => ({
    ...edge,
    label: edge.label && edge.who.size < workflow.requesters.length
      ? `${edge.label} (${[...edge.who].join(', ')})`
      : edge.label,
  }));
}

function inWords(workflow) {
  return workflow.steps.map(step => {
    const ways = Object.entries(step.claim).map(([who, claim]) =>
      `, claimed as ${claim.into} for ${who === 'any' ? 'every requester' : who}`).join('');
    return `${step.key}: from ${step.from} to ${[...new Set(Object.values(step.to))].join(' or ')}${ways}.`;
  }).join(' ');
}

/** Places each state to the right of its sources. An edge also has a place in each column between its two states. */
function layOut(nodes, edges) {
  const column = new Map(nodes.map(node => [node.name, 0]));
  for (let round = 0; round < nodes.length; round++) {
    for (const { from, to } of edges) {
      // An edge that leads back would move its target further to the right in each round. Therefore, the number of columns is
      // limited to the number of states.
      column.set(to, Math.max(column.get(to), Math.min(column.get(from) + 1, nodes.length - 1)));
    }
  }
  const places = new Map(nodes.map(node => [node.name, { ...node, column: column.get(node.name) }]));
  const ways = edges.map(edge => {
    const stops = [edge.from];
    for (let between = column.get(edge.from) + 1; between < column.get(edge.to); between++) {
      const stop = `${edge.from} ${edge.to} ${edge.label} ${between}`;
      places.set(stop, { column: between });
      stops.push(stop);
    }
    return { ...edge, stops: [...stops, edge.to] };
  });
  return placed(places, ways);
}

function placed(places, ways) {
  const columns = [];
  for (const place of places.values()) {
    (columns[place.column] ??= []).push(place);
  }
  const widthOf = place => place.name ? place.name.length * LETTER + 24 : 0;
  const height = Math.max(...columns.map(column => column.length)) * ROW + 12;
  let left = 8;
  columns.forEach((column, index) => {
    const width = Math.max(...column.map(widthOf), 40);
    column.sort((one, other) => heightOfSources(one) - heightOfSources(other));
    column.forEach((place, row) => {
      place.x = left + width / 2;
      place.y = height / 2 + (row - (column.length - 1) / 2) * ROW;
      place.half = widthOf(place) / 2;
    });
    left += width + Math.max(GAP, longestLabel(index) * LETTER * 0.9 + 24);
  });

  function heightOfSources(place) {
    const sources = ways.flatMap(way => way.stops
      .map((stop, at) => ({ stop, next: way.stops[at + 1] }))
      .filter(({ next }) => next && places.get(next) === place)
      .map(({ stop }) => places.get(stop).y ?? 0));
    return sources.length === 0 ? 0 : sources.reduce((sum, y) => sum + y, 0) / sources.length;
  }

  function longestLabel(index) {
    return Math.max(0, ...ways.filter(way => places.get(way.from).column === index).map(way => way.label.length));
  }

  const right = Math.max(...[...places.values()].map(place => place.x + place.half)) + 8;
  const paths = ways.map(way => ({ ...way, points: way.stops.map(stop => places.get(stop)) }));
  return { places, paths, width: Math.ceil(right), height };
}

function arrow({ points, label }, head) {
  const [first, second] = points;
  let path = `M${first.x + first.half} ${first.y}`;
  points.slice(1).forEach((to, index) => {
    const from = points[index];
    const start = from.x + from.half;
    const end = to.x - to.half;
    const middle = (start + end) / 2;
    path += ` C${middle} ${from.y} ${middle} ${to.y} ${end} ${to.y}`;
    if (!to.name) {
      path += ` H${to.x + to.half}`;
    }
  });
  const from = first.x + first.half;
  const to = second.x - second.half;
  return svg('g', {},
    svg('path', { class: 'way', d: path, 'marker-end': `url(#${head})` }),
    label ? svg('text', { class: 'label', x: (from + to) / 2, y: (first.y + second.y) / 2 - 7 }, label) : null);
}

function state(place, current) {
  const isCurrent = place.name === current;
  return svg('g', { class: `state${place.isClaim ? ' claim' : ''}${isCurrent ? ' current' : ''}` },
    svg('rect', { x: place.x - place.half, y: place.y - HEIGHT / 2, width: place.half * 2, height: HEIGHT, rx: 8 }),
    svg('text', { x: place.x, y: place.y + 4 }, place.name));
}
