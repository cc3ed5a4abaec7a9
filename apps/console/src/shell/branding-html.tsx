import { useMemo } from 'react';
import { safeHTML } from './safe-html.ts';

/** HTML an operator wrote into the settings. The server cleans it; so do we. */
export function BrandingHTML({ html, className }: { html: string; className?: string }) {
  const clean = useMemo(() => safeHTML(html), [html]);
  return <div className={className} dangerouslySetInnerHTML={{ __html: clean }} />;
}
