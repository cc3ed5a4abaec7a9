import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** Whether an element is in the window where it stays, or was: what costs much begins then. */
export function useSight(element: RefObject<HTMLElement | null>, isPlaced: boolean): boolean {
  const [isSeen, setSeen] = useState(!('IntersectionObserver' in globalThis));
  // Most are seen at once, and would wait for two pictures otherwise.
  useLayoutEffect(() => {
    const top = element.current?.getBoundingClientRect().top ?? Infinity;
    // oxlint-disable-next-line react/set-state-in-effect -- only the layout tells, and it ends here
    if (isPlaced && top < innerHeight) setSeen(true);
  }, [element, isPlaced]);
  useEffect(() => {
    if (isSeen || !isPlaced || !element.current) return;
    const observer = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setSeen(true));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen, isPlaced, element]);
  return isSeen;
}
