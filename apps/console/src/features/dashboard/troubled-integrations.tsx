import { lazy, Suspense } from 'react';
import { useTroubled } from '../../components/status/delivery-state.tsx';

// On most days there are none.
const TroubledList = lazy(() => import('./troubled-list.tsx').then((m) => ({ default: m.TroubledList })));

/** The integrations that are degraded or suspended, so that their owner need not go and look for them. */
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
