import { say } from './dom.js';

/** Reads a response. A refusal is an answer like any other: the caller decides how to show it. */
async function answerOf(response) {
  const text = await response.text();
  return { status: response.status, isGood: response.ok, headers: response.headers, body: text ? JSON.parse(text) : null };
}

export async function get(path) {
  return (await answerOf(await fetch(path, { headers: { Accept: 'application/json' } }))).body;
}

export async function post(path, body, headers = {}) {
  const sent = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return answerOf(await fetch(path, {
    method: 'POST',
    headers: { ...sent, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  }));
}

/** Returns the human-readable sentence of a problem detail. */
export function sentenceOf(answer) {
  const problem = answer.body ?? {};
  return [problem.detail ?? 'The request failed.', ...(problem.messages ?? [])].join(' ');
}

/** Sends a request, and shows its result as a sentence. */
export async function attempt(send, done) {
  try {
    const answer = await send();
    say(answer.isGood ? done(answer.body) : sentenceOf(answer), !answer.isGood);
    return answer;
  } catch (unreachable) {
    say('The service does not answer.', true);
    return null;
  }
}

const EACH = 1000;

/**
 * Polls each second as long as the page is visible, because this instance is not notified of the changes that another instance
 * makes. Returns a function that polls at once.
 */
export function watch(poll) {
  let timer = 0;
  let latest = 0;
  async function now() {
    clearTimeout(timer);
    const mine = ++latest;
    try {
      if (!document.hidden) {
        await poll();
      }
    } catch (unreachable) {
      say('The service does not answer. The page tries again.', true);
    }
    if (mine === latest) {
      timer = setTimeout(now, EACH);
    }
  }
  document.addEventListener('visibilitychange', now);
  now();
  return now;
}
