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
  /** '0' on the global dashboard, where the steps are about the first organization. */
  organizationID: string;
  devices: Summary | undefined;
  /** Loading the counts failed. */
  isFailed: boolean;
  /** Something above the content is still loading. */
  isWaiting?: boolean;
  /** The content below. It becomes visible when its position is final, so that nothing shifts. */
  children?: ReactNode;
}

/** Whether the content of the dashboard has its final position. */
export const IsPlaced = createContext(true);

/**
 * The first steps: shown until they are dismissed while no device was ever active, or on request. They stay visible
 * until the page is left, so that the user sees the last step ticked.
 */
export function WhenEmpty({ organizationID, devices, isFailed, isWaiting = false, children }: Props) {
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
  const isHidden = isOpen || isPending || isWaiting;
  const dismiss = () => {
    storeDismissed();
    setDismissed(true);
    void navigate({ to: '.', search: {}, replace: true });
  };
  return (
    <>
      {made && FirstSteps && <FirstSteps made={made} onDismiss={dismiss} />}
      <div className={isHidden ? classes.waiting : undefined}>
        <IsPlaced value={!isHidden}>{children}</IsPlaced>
      </div>
    </>
  );
}

/** The first steps with their requests, loaded on demand because most dashboards do not show them. */
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
