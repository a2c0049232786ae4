// Creates elements from text, never from markup, so that user input cannot become code.

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
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = id => document.getElementById(id);

let said = 0;

/** Shows a sentence that screen readers announce. */
export function say(sentence, isTrouble = false) {
  const place = byId('said');
  place.textContent = sentence;
  place.className = isTrouble ? 'shown trouble' : 'shown';
  clearTimeout(said);
  said = setTimeout(() => { place.className = ''; }, 8000);
}

/**
 * Shows a list. Unchanged items stay as they are, and the focus stays where it was. Otherwise, users of a screen reader or of the
 * keyboard would lose their place each second.
 */
export function show(container, items, keyOf, build) {
  const before = new Map([...container.children].map(child => [child.dataset.key, child]));
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const wanted = items.map(item => {
    const key = String(keyOf(item));
    const content = JSON.stringify(item);
    const old = before.get(key);
    if (old && old.dataset.content === content) {
      return old;
    }
    const built = build(item);
    built.dataset.key = key;
    built.dataset.content = content;
    return built;
  });
  const isSame = wanted.length === container.children.length
    && wanted.every((child, index) => child === container.children[index]);
  if (isSame) {
    return;
  }
  container.replaceChildren(...wanted);
  if (focused) {
    container.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  }
}

export function time(instant) {
  return instant ? new Date(instant).toLocaleTimeString([], { hour12: false }) : '';
}

export function badge(state) {
  return el('span', { class: `badge ${state.toLowerCase()}` }, state);
}
