import { type RefObject, useEffect, useRef, useState } from 'react';

/** So far below the viewport elements count as near. */
const margin = '400px';

/** Whether an element has come near the viewport: a page of twenty charts is painted before all of them are drawn. */
export function useNearViewport<Of extends Element>(): [RefObject<Of | null>, boolean] {
  const element = useRef<Of>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!element.current || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: margin },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isNear]);
  return [element, isNear];
}
