import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Keeps the focus after navigation: the tabs of a page, and what the new page has focused itself. */
const keepsFocus = 'nav[aria-label="Sections"] *, input, textarea, select, [contenteditable]';

/**
 * After navigation the heading of the new page gets the focus. Returns its title, for a live region: the browser
 * announces only pages that it loads itself.
 */
export function useHeadingFocus(main: RefObject<HTMLElement | null>): string {
  const [title, setTitle] = useState('');
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const target = useRouterState({ select: ({ location }) => location.pathname });
  const earlier = useRef(pathname);
  const hasTyped = useRef(false);

  // Input after the start of the navigation, for example in the search box, keeps the focus too.
  useEffect(() => {
    hasTyped.current = false;
    const note = () => {
      hasTyped.current = true;
    };
    addEventListener('input', note);
    return () => removeEventListener('input', note);
  }, [target]);

  useEffect(() => {
    const isFirst = earlier.current === undefined;
    const isSame = earlier.current === pathname;
    earlier.current = pathname;
    if (isFirst || isSame || !main.current) return;

    function arrive(): boolean {
      const heading = main.current?.querySelector('h1');
      if (!heading) return false;
      const active = document.activeElement;
      const isInPage = main.current?.contains(active) && active?.matches(keepsFocus);
      if (!isInPage && !hasTyped.current) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }
      setTitle(document.title.replace(/ · Hilltop$/, ''));
      return true;
    }
    if (arrive()) return;
    // Its data is still to come.
    const observer = new MutationObserver(() => arrive() && observer.disconnect());
    observer.observe(main.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [pathname, main]);
  return title;
}
