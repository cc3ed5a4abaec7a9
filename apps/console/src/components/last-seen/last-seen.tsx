import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatLong, formatRelative } from './dates.ts';

/** "5 minutes ago" with the exact time on hover, or "Never". Keeps itself up to date. */
export function LastSeen({ at }: { at: string | null | undefined }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <span>Never</span>;
  return (
    <Tooltip label={formatLong(at)}>
      <time dateTime={at}>{formatRelative(at, now)}</time>
    </Tooltip>
  );
}
