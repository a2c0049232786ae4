// Shows times as people say them. The exact time is shown when the pointer rests on it.

import { el } from './dom.js';
import { language } from './texts.js';

const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' });
const dated = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const UNITS = [['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]];

/** The difference between the database's clock and this computer's clock. */
let ahead = 0;

export function setNow(now) {
  ahead = Date.parse(now) - Date.now();
}

/** Returns the time of the database, in milliseconds. */
export const databaseTime = () => Date.now() + ahead;

function away(instant) {
  const seconds = Math.round((Date.parse(instant) - databaseTime()) / 1000);
  const [unit, size] = UNITS.find(each => Math.abs(seconds) >= each[1]) ?? UNITS[3];
  return relative.format(Math.trunc(seconds / size), unit);
}

export function when(instant) {
  return instant ? el('time', { datetime: instant, title: exact.format(new Date(instant)) }, away(instant)) : '';
}

/** Brings the times within an element up to date, without touching anything else. */
export function refreshTimes(container) {
  for (const time of container.querySelectorAll('time:not(.exact)')) {
    time.textContent = away(time.dateTime);
  }
}

export const clockTime = instant => clock.format(new Date(instant));

/** Returns the time of day, and the date if it is not today. */
export function moment(instant) {
  const date = new Date(instant);
  return date.toDateString() === new Date(databaseTime()).toDateString() ? clock.format(date) : dated.format(date);
}

export const at = instant =>
  el('time', { class: 'exact', datetime: instant, title: exact.format(new Date(instant)) }, moment(instant));

/** Converts an instant to the value of a field, in the reader's time zone. */
export function fieldTime(instant) {
  const date = new Date(instant ?? NaN);
  return isNaN(date) ? '' : new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const instantOf = field => field && new Date(field).toISOString();

/** Shows a duration that the server sends as ISO text, such as PT1H2.5S. */
export function duration(text) {
  const [, days, hours, minutes, seconds] = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) ?? [];
  const parts = [[days, 'd'], [hours, 'h'], [minutes, 'min'], [seconds && Math.floor(seconds), 's']];
  return parts.filter(each => Number(each[0]) > 0).slice(0, 2).map(each => each.join(' ')).join(' ') || '0 s';
}
