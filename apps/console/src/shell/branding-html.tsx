import { useMemo } from 'react';
import { safeHTML } from './safe-html.ts';

/** HTML from the settings. Both the server and the console sanitise it. */
export function BrandingHTML({ html, className }: { html: string; className?: string }) {
  const clean = useMemo(() => safeHTML(html), [html]);
  return <div className={className} dangerouslySetInnerHTML={{ __html: clean }} />;
}
