import { useNavigate, useSearch } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { returnPathOf, saveReturnPath, takeReturnPath } from './return-path.ts';

type Draft = Parameters<typeof saveReturnPath>[0];

/** Follows a link and returns to this page when the object is created there. In a new tab it is an ordinary link. */
export function useFollowAndReturn(to: string) {
  const navigate = useNavigate();
  return (event: MouseEvent, draft?: Draft) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    // The input is saved, so the unsaved-changes guard is skipped.
    void navigate({ to, search: { for: saveReturnPath(draft) } as never, ignoreBlocker: true });
  };
}

/** The page that this page returns to, if any. */
export function useReturnPath() {
  const { for: id }: { for?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const detour = returnPathOf(id);
  return {
    from: detour?.from,
    /** With the id of the created object; without a return path it goes to `usual`. */
    goBack: (usual: string, made?: string) => {
      const back = id === undefined ? undefined : takeReturnPath(id, made);
      void navigate({ href: back ?? usual, ignoreBlocker: made !== undefined });
    },
  };
}
