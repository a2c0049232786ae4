// Sends requests. All addresses are relative to the page, so any context path and any proxy works.

import { setNow } from './time.js';

/** An answer that is not the requested data. Its code is that of the server's problem, or 'unreachable'. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? '');
    this.status = status;
    this.code = body?.code ?? 'unreachable';
  }
}

const known = new Map();

/** The number of answers that brought new data. */
let news = 0;

export const countNews = () => news;

async function send(path, options) {
  try {
    return await fetch(path, { ...options, headers: { Accept: 'application/json', ...options.headers } });
  } catch (unreachable) {
    throw new Problem(0, null);
  }
}

async function json(response) {
  try {
    return await response.json();
  } catch (other) {
    return null;
  }
}

/** Reads data. If nothing has changed since the last request, the server sends no data again. */
export async function get(name, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  const path = `api/${name}${query ? `?${query}` : ''}`;
  const before = known.get(path);
  const response = await send(path, { headers: before ? { 'If-None-Match': before.tag } : {}, cache: 'no-store' });
  if (response.status === 304) {
    return before.body;
  }
  const body = await json(response);
  if (!response.ok || response.redirected || body === null) {
    throw new Problem(response.redirected ? 401 : response.status, body ?? { code: 'unauthenticated' });
  }
  if (known.size > 20) {
    known.clear();
  }
  known.set(path, { tag: response.headers.get('ETag'), body });
  setNow(body.now);
  news++;
  return body;
}

/** Requests an operation, and returns its result. */
export async function operate(me, request) {
  const headers = { 'Content-Type': 'application/json', 'X-Saga-Dashboard': '1' };
  if (me.csrf) {
    headers[me.csrf.header] = me.csrf.token;
  }
  const response = await send('api/operations', { method: 'POST', headers, body: JSON.stringify(request) });
  const body = await json(response);
  if (body?.result) {
    return body;
  }
  throw new Problem(response.status, body);
}

export const addressOf = (name, parameters) =>
  new URL(`api/${name}?${new URLSearchParams(parameters)}`, document.baseURI).href;
