import { lazy, Suspense } from 'react';
import { useTroubled } from '../../components/status/delivery-state.tsx';

// Loaded on demand: there are seldom any.
const TroubledList = lazy(() => import('./troubled-list.tsx').then((m) => ({ default: m.TroubledList })));

/** The degraded and suspended integrations, so that their owners see them without searching. */
export function TroubledIntegrations({ organizationID }: { organizationID: string }) {
  const troubled = useTroubled(organizationID);
  return (
    troubled.length > 0 && (
      <Suspense>
        <TroubledList troubled={troubled} />
      </Suspense>
    )
  );
}
