// The place is in the query of the address, so that a link shows a colleague the same view.

export function place() {
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const { view = 'front', ...parameters } = query;
  return { view, parameters };
}

/** Builds the address of a view. Empty parameters are left out. */
export function addressOf(view, parameters = {}) {
  const query = new URLSearchParams();
  if (view !== 'front') {
    query.set('view', view);
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '') {
      query.set(name, value);
    }
  }
  return `?${query}`;
}

let changed = () => {};

/** Shows another place. Returns a promise that ends when it is shown. */
export function go(address) {
  history.pushState(null, '', address);
  return changed();
}

/** Follows links within the page without loading it again. */
export function follow(listener) {
  changed = listener;
  window.addEventListener('popstate', listener);
  document.addEventListener('click', event => {
    const link = event.target.closest?.('a[href^="?"]');
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    if (link && isPlain) {
      event.preventDefault();
      go(link.getAttribute('href'));
    }
  });
}
