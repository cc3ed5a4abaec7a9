/**
 * Reduces the HTML of the operator to formatting and links. The sanitizer is large, so it is loaded only when there is
 * HTML.
 */
export async function cleanBranding(html: string): Promise<string> {
  if (html === '') return '';
  const { default: sanitizeHtml } = await import('sanitize-html');
  return sanitizeHtml(html, {
    allowedTags: ['a', 'b', 'br', 'code', 'em', 'i', 'img', 'li', 'ol', 'p', 'small', 'span', 'strong', 'ul'],
    allowedAttributes: { a: ['href', 'title', 'target', 'rel'], img: ['src', 'alt', 'width', 'height'] },
    allowedSchemes: ['https', 'http', 'mailto'],
    allowedSchemesByTag: { img: ['https', 'data'] },
    transformTags: { a: sanitizeHtml.simpleTransform('a', { rel: 'noopener noreferrer' }) },
  });
}
