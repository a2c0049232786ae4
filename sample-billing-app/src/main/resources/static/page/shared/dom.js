// What both pages need comes from the dashboard, which creates elements from text, never from markup.

export { byId, el, say, svg } from '../dashboard/dom.js';

import { el } from '../dashboard/dom.js';

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
