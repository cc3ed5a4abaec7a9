import createPurifier from 'dompurify';

const rules = {
  ALLOWED_TAGS:
    'a abbr b blockquote br code dd div dl dt em h1 h2 h3 h4 hr i img li ol p pre small span strong sub sup table tbody td th thead tr u ul'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'src', 'alt', 'title', 'width', 'height', 'target', 'rel', 'colspan', 'rowspan'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
};

const purifier = createPurifier(window);
// Only images may have a data URL.
purifier.addHook('uponSanitizeAttribute', (_element, attribute) => {
  if (/^\s*data:/i.test(attribute.attrValue) && !rules.ALLOWED_URI_REGEXP.test(attribute.attrValue))
    attribute.keepAttr = false;
});
purifier.addHook('afterSanitizeAttributes', (element) => {
  if (element.localName === 'a') element.setAttribute('rel', 'noreferrer noopener');
});

/**
 * The harmless part of an HTML text: formatting, links and images; no scripts, styles, event handlers or other URL
 * schemes.
 */
export const safeHTML = (html: string): string => purifier.sanitize(html, rules);
