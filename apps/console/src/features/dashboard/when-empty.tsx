import type { Operations, ResponseOf } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { isDismissed, storeDismissed } from '../../session/storage.ts';

// Most dashboards are not empty.
const FirstSteps = lazy(() => import('./first-steps.tsx').then((m) => ({ default: m.FirstSteps })));

type Summary = ResponseOf<Operations['internal']['getDevicesSummary']>;

/**
 * The first steps, where no device was ever heard, until they are dismissed; and where somebody asks for them. Once there
 * they stay, so that the last one is seen to be ticked.
 */
export function WhenEmpty({ organizationID, devices }: { organizationID: string; devices: Summary | undefined }) {
  const may = useMay();
  const navigate = useNavigate();
  const { steps }: { steps?: string } = useSearch({ strict: false });
  const [dismissed, setDismissed] = useState(isDismissed);
  const [wasEmpty, setWasEmpty] = useState(false);
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'firstSteps'],
    queryFn: () => api.firstSteps.get.isOffered(),
    staleTime: Infinity,
    enabled: wasEmpty || steps !== undefined,
  });
  if (!wasEmpty && devices && devices.activeCount + devices.inactiveCount === 0) setWasEmpty(true);
  const isFor = may('firstSteps.makeProfiles') || may('device.create') || may('gateway.create');
  if (!isOffered || !isFor || (steps === undefined && (dismissed || !wasEmpty))) return null;
  const dismiss = () => {
    storeDismissed();
    setDismissed(true);
    void navigate({ to: '.', search: {}, replace: true });
  };
  return (
    <Suspense>
      <FirstSteps organizationID={organizationID} onDismiss={dismiss} />
    </Suspense>
  );
}
