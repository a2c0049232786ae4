// Selects the language of the page by the preference of the browser. The engine never sees it.

import en from './texts/en.js';
import de from './texts/de.js';

const languages = { en, de };

export const language = navigator.languages.map(each => each.slice(0, 2)).find(each => each in languages) ?? 'en';

const texts = languages[language];

/** Returns a text. Words in braces are replaced by values. A key without a text is shown as it is. */
export function t(key, values = {}) {
  const text = texts[key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? '');
}

/** Returns a text, or the fallback if there is none. */
export const textOr = (key, fallback) => texts[key] ?? en[key] ?? fallback;

/** Returns the label of an operation, such as run.retry. Without a text of its own, it is that of the verb. */
export const labelOf = operation => textOr(`op.${operation}`, t(`op.${operation.split('.').at(-1)}`));
