import type { Operations, ResponseOf } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { useMay } from '../../session/session.tsx';
import { isDismissed, storeDismissed } from '../../session/storage.ts';
import classes from './when-empty.module.css';

const refreshMs = 3_000;

type Summary = ResponseOf<Operations['internal']['getDevicesSummary']>;

interface Props {
  /** '0' on the dashboard of everything, where they are about its first organization. */
  organizationID: string;
  devices: Summary | undefined;
  /** The counts do not come. */
  isFailed: boolean;
  /** The rest of the dashboard. It is seen when its place is known: else it would move down under a finger. */
  children?: ReactNode;
}

/** Whether what stands on the dashboard stands where it will stay. */
export const IsPlaced = createContext(true);

/**
 * The first steps, where no device was ever heard, until they are dismissed; and where somebody asks for them. Once there
 * they stay, so that the last one is seen to be ticked.
 */
export function WhenEmpty({ organizationID, devices, isFailed, children }: Props) {
  const may = useMay();
  const navigate = useNavigate();
  const { steps }: { steps?: string } = useSearch({ strict: false });
  const [dismissed, setDismissed] = useState(isDismissed);
  const [wasEmpty, setWasEmpty] = useState(false);
  if (!wasEmpty && devices && devices.activeCount + devices.inactiveCount === 0) setWasEmpty(true);
  const isFor = may('firstSteps.makeProfiles') || may('device.create') || may('gateway.create');
  const isWanted = isFor && (steps !== undefined || (wasEmpty && !dismissed));
  const { isPending, made, FirstSteps } = useFirstSteps(organizationID, isWanted);
  const isOpen = isFor && steps === undefined && !dismissed && !devices && !isFailed;
  const isWaiting = isOpen || isPending;
  const dismiss = () => {
    storeDismissed();
    setDismissed(true);
    void navigate({ to: '.', search: {}, replace: true });
  };
  return (
    <>
      {made && FirstSteps && <FirstSteps made={made} onDismiss={dismiss} />}
      <div className={isWaiting ? classes.waiting : undefined}>
        <IsPlaced value={!isWaiting}>{children}</IsPlaced>
      </div>
    </>
  );
}

/** What is made, and what shows it, which most dashboards need not fetch. */
function useFirstSteps(organizationID: string, isWanted: boolean) {
  const offered = useQuery({
    queryKey: ['offered', 'firstSteps'],
    queryFn: () => api.firstSteps.get.isOffered(),
    staleTime: Infinity,
    enabled: isWanted,
  });
  const screen = useQuery({
    queryKey: ['screen', 'firstSteps'],
    queryFn: () => import('./first-steps.tsx'),
    staleTime: Infinity,
    structuralSharing: false,
    enabled: isWanted,
  });
  const isOffered = isWanted && offered.data === true;
  const made = useQuery({
    ...query('firstSteps', 'get', organizationID === '0' ? {} : { organizationID }),
    refetchInterval: refreshMs,
    staleTime: 0,
    enabled: isOffered,
  });
  return {
    isPending: (isWanted && offered.isPending) || (isOffered && (made.isPending || screen.isPending)),
    made: isOffered ? made.data : undefined,
    FirstSteps: screen.data?.FirstSteps,
  };
}
