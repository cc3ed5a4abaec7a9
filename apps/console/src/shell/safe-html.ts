const elements = new Set(
  'a abbr b blockquote br code dd div dl dt em h1 h2 h3 h4 hr i img li ol p pre small span strong sub sup table tbody td th thead tr u ul'.split(
    ' ',
  ),
);
const attributes = new Set(['href', 'src', 'alt', 'title', 'width', 'height', 'target', 'colspan', 'rowspan']);
const removedWhole = new Set(['script', 'style', 'template', 'iframe', 'object', 'embed', 'svg', 'math', 'form']);

function isSafeAddress(value: string): boolean {
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(value)) return true;
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(value, 'https://base.invalid').protocol);
  } catch {
    return false;
  }
}

function clean(parent: Element) {
  for (const child of [...parent.children]) {
    const name = child.localName;
    if (removedWhole.has(name)) {
      child.remove();
      continue;
    }
    clean(child);
    if (!elements.has(name)) {
      child.replaceWith(...child.childNodes);
      continue;
    }
    for (const attribute of [...child.attributes]) {
      const keeps =
        attributes.has(attribute.name) && (!['href', 'src'].includes(attribute.name) || isSafeAddress(attribute.value));
      if (!keeps) child.removeAttribute(attribute.name);
    }
    if (name === 'a') child.setAttribute('rel', 'noreferrer noopener');
  }
}

/** The harmless part of an HTML text: text formatting, links and images; no scripts, styles, handlers or foreign schemes. */
export function safeHTML(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  clean(body);
  return body.innerHTML;
}
