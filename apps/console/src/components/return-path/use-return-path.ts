import { useNavigate, useSearch } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { returnPathOf, saveReturnPath, takeReturnPath } from './return-path.ts';

type Draft = Parameters<typeof saveReturnPath>[0];

/** Follows a link as a detour: this page comes back when the thing is made there. In a new tab it is a link as any. */
export function useLeave(to: string) {
  const navigate = useNavigate();
  return (event: MouseEvent, draft?: Draft) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    // What was typed is not lost.
    void navigate({ to, search: { for: saveReturnPath(draft) } as never, ignoreBlocker: true });
  };
}

/** Where this page leads back to, if somebody waits for what it makes. */
export function useWayBack() {
  const { for: id }: { for?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const detour = returnPathOf(id);
  return {
    from: detour?.from,
    /** With the id of what was made; otherwise to `usual`. */
    goBack: (usual: string, made?: string) => {
      const back = id === undefined ? undefined : takeReturnPath(id, made);
      void navigate({ href: back ?? usual, ignoreBlocker: made !== undefined });
    },
  };
}
