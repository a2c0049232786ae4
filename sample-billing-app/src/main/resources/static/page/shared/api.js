import { say } from './dom.js';

/** What a request came to. A refusal is an answer like any other: who asked decides what to say of it. */
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

/** The sentence for people in an answer that is a problem. */
export function sentenceOf(answer) {
  const problem = answer.body ?? {};
  return [problem.detail ?? 'It could not be done.', ...(problem.messages ?? [])].join(' ');
}

/** Does what somebody asked for, and says what became of it. */
export async function attempt(asked, done) {
  try {
    const answer = await asked();
    say(answer.isGood ? done(answer.body) : sentenceOf(answer), !answer.isGood);
    return answer;
  } catch (unreachable) {
    say('The service does not answer.', true);
    return null;
  }
}

const EACH = 1000;

/**
 * Looks each second, as long as somebody looks at the page. Looking and not being told: another instance, of which this one
 * hears nothing, may have done it. Returns what looks at once.
 */
export function watch(look) {
  let timer = 0;
  let latest = 0;
  async function now() {
    clearTimeout(timer);
    const mine = ++latest;
    try {
      if (!document.hidden) {
        await look();
      }
    } catch (unreachable) {
      say('The service does not answer. It is asked again.', true);
    }
    if (mine === latest) {
      timer = setTimeout(now, EACH);
    }
  }
  document.addEventListener('visibilitychange', now);
  now();
  return now;
}
