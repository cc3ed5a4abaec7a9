import { useState } from 'react';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { Status } from '../../components/status/status.tsx';

const soonMs = 14 * 24 * 60 * 60 * 1000;

/** The expiry of an API key, highlighted in time to create another one. */
export function Expiry({ at }: { at: string | null | undefined }) {
  const [nowMs] = useState(() => Date.now());
  if (!at) return 'Never';
  const leftMs = Date.parse(at) - nowMs;
  if (leftMs <= 0) return <Status tone="inactive">Expired</Status>;
  if (leftMs > soonMs) return <LastSeen at={at} />;
  return (
    <>
      <Status tone="inactive">Soon</Status> <LastSeen at={at} />
    </>
  );
}
