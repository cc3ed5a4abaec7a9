import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** Whether an element with a final position is or was in the viewport: expensive work starts then. */
export function useInView(element: RefObject<HTMLElement | null>, isPlaced: boolean): boolean {
  const [isSeen, setSeen] = useState(!('IntersectionObserver' in globalThis));
  // Most elements are visible at once, and an observer would delay them by two frames.
  useLayoutEffect(() => {
    const top = element.current?.getBoundingClientRect().top ?? Infinity;
    // oxlint-disable-next-line react/set-state-in-effect -- only the layout knows the position
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
