import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type FrameItem, frameGroups, groupOfFrame } from './frame-kind.ts';

/** The filter of frames, stored in the address: `?kind=uplink,join&q=01020304`. */
export function useFrameFilter() {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { kind = '', q = '' } = address;
  const matches = useMemo(() => {
    const groups = frameGroups.filter((group) => kind.split(',').includes(group));
    const needle = q.toLowerCase();
    if (groups.length === 0 && needle === '') return undefined;
    return (item: FrameItem) =>
      (groups.length === 0 || groups.includes(groupOfFrame(item))) &&
      (needle === '' || JSON.stringify(item).toLowerCase().includes(needle));
  }, [kind, q]);
  const change = (next: { kind?: string; q?: string }) => {
    const { kind: nextKind, q: nextText } = { kind, q, ...next };
    void navigate({
      to: '.',
      replace: true,
      search: { ...address, kind: nextKind || undefined, q: nextText || undefined },
    });
  };
  return { kind, q, matches, change, clear: matches && (() => change({ kind: '', q: '' })) };
}
