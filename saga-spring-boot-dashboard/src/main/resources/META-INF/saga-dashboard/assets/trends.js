// The last hour and day as bars. Screen readers read the number above the picture.

import { el, svg } from './dom.js';
import { t } from './texts.js';
import { number } from './parts.js';

function trend(span, name, values, isEstimated) {
  const most = Math.max(...values);
  const sum = name === 'backlog' ? most : values.reduce((all, each) => all + each, 0);
  return el('li', { class: name }, el('span', { class: 'big' }, isEstimated ? '≈ ' : '', number(sum)),
    el('span', { class: 'quiet' }, t(`trend.${name}`), ', ', t(`trend.${span}`)),
    svg('svg', { viewBox: `0 0 ${values.length * 4} 24`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      values.map((value, index) => value > 0 ? svg('rect', {
        x: index * 4, y: 24 - 24 * value / most, width: 3, height: 24 * value / most,
      }) : null)));
}

export const trends = found => el('ul', { class: 'counts trends' }, Object.entries(found).flatMap(([span, series]) =>
  ['ended', 'failed', 'backlog'].map(name =>
    trend(span, name, series[name], series.estimated && name !== 'backlog'))));
