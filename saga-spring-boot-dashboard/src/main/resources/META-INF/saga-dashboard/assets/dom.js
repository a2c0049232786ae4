// Creates elements from text, never from markup, so that names and errors of users cannot become code.

const SVG = 'http://www.w3.org/2000/svg';

export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat(2).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = id => document.getElementById(id);

let hiding = 0;

/** Shows a sentence for some seconds. Screen readers read it aloud. */
export function say(sentence, isTrouble = false) {
  const place = byId('said');
  place.textContent = sentence;
  place.className = isTrouble ? 'shown trouble' : 'shown';
  clearTimeout(hiding);
  hiding = setTimeout(() => { place.className = ''; }, 10_000);
}

/**
 * Replaces the content of an element. The focus, the open details, the scrolled tables and the form stay as they were,
 * so that an update does not disturb a reader.
 */
export function replace(container, children) {
  const active = container.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.dataset.focus ?? active?.getAttribute('href');
  const open = new Set([...container.querySelectorAll('details[open][data-key]')].map(each => each.dataset.key));
  const scrolled = new Map([...container.querySelectorAll('.scroll')].map(each => [each.ariaLabel, each.scrollLeft]));
  swap(container, children.flat(2).filter(Boolean));
  for (const details of container.querySelectorAll('details[data-key]')) {
    details.open = details.open || open.has(details.dataset.key);
  }
  for (const area of container.querySelectorAll('.scroll')) {
    area.scrollLeft = scrolled.get(area.ariaLabel) ?? 0;
  }
  if (focused) {
    const name = CSS.escape(focused);
    container.querySelector(`[data-focus="${name}"], a[href="${name}"]`)?.focus({ preventScroll: true });
  }
}

/** A form with an equal key is not moved. Otherwise, it would lose what a person is typing. */
function swap(container, children) {
  const old = [...container.children].find(each => each.dataset.keep !== undefined);
  const at = old ? children.findIndex(each => each.dataset?.keep === old.dataset.keep) : -1;
  if (at < 0) {
    container.replaceChildren(...children);
    return;
  }
  [...container.childNodes].filter(each => each !== old).forEach(each => each.remove());
  old.before(...children.slice(0, at));
  old.after(...children.slice(at + 1));
}

export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch (refused) {
    say(text, true);
  }
}
