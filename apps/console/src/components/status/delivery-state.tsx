import type { DeliveryStatus } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { useMay } from '../../session/session.tsx';
import { Status } from './status.tsx';

const offered = {
  queryKey: ['offered', 'delivery'],
  queryFn: () => api.delivery.overview.isOffered(),
  staleTime: Infinity,
};

/** Whether the server reports the state of deliveries; older ones do not. */
export const useReportsDeliveries = (): boolean => useQuery(offered).data ?? false;

/** The delivery state of integrations by kind: of an application, or with application 0 of an organization. */
export function useDeliveryStates(applicationID: string, organizationID?: string): ReadonlyMap<string, DeliveryStatus> {
  const owner = { applicationID, ...(organizationID !== undefined && { organizationID }) };
  const enabled = useReportsDeliveries();
  const { data } = useQuery({ ...query('delivery', 'overview', owner), enabled, refetchInterval: 5_000 });
  return new Map(data?.result.map((one) => [one.kind, one]));
}

/** Owners rarely look; a slow refetch is enough. */
const troubleMs = 30_000;

/** The degraded and suspended integrations of an organization, or of the installation ('0'), the worst first. */
export function useTroubled(organizationID: string): { troubled: readonly DeliveryStatus[]; isLoading: boolean } {
  const may = useMay();
  const { data: reports = false, isLoading: isAsking } = useQuery(offered);
  const { data, isLoading, failureCount } = useQuery({
    ...query('delivery', 'all', { organizationID, onlyTroubled: true, limit: 100 }),
    enabled: reports && may('delivery.all', organizationID),
    refetchInterval: troubleMs,
  });
  return { troubled: data?.result ?? [], isLoading: isAsking || (isLoading && failureCount === 0) };
}

const words = {
  HEALTHY: { tone: 'active', word: 'Healthy' },
  DEGRADED: { tone: 'attention', word: 'Degraded' },
  SUSPENDED: { tone: 'inactive', word: 'Suspended' },
} as const;

const ended = { tone: 'inactive', word: 'Ended' } as const;
const notUsed = { tone: 'never', word: 'Not used yet' } as const;

const notConfigured = { tone: 'never', word: 'Not configured' } as const;

type Judged = Pick<DeliveryStatus, 'state' | 'reason' | 'lastSuccessAt' | 'lacksAddress'>;

/** Why an integration delivers nothing, or less than it should; empty when it is healthy. */
export function reasonOf({ state, reason, lacksAddress }: Omit<Judged, 'lastSuccessAt'>): string {
  if (state !== 'HEALTHY') return reason;
  return lacksAddress ? 'The integration has no address, so it sends nothing. Enter one in its configuration.' : '';
}

export function stateWord({ state, lastSuccessAt, lacksAddress }: Omit<Judged, 'reason'>) {
  if (state === 'HEALTHY' && lacksAddress) return notConfigured;
  return state === 'HEALTHY' && lastSuccessAt === null ? notUsed : words[state];
}

/** A dot with the state, and the backlog. An integration that has sent nothing is neither healthy nor degraded. */
export function DeliveryState({ status, isEnded = false }: { status: DeliveryStatus; isEnded?: boolean }) {
  const { behindEvents, oldestAt } = status;
  const { tone, word } = isEnded ? ended : stateWord(status);
  return (
    <>
      <Status tone={tone}>{word}</Status>
      {behindEvents > 0 && <span>{behind(behindEvents, oldestAt)}</span>}
    </>
  );
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** "12 s behind, 40 events". */
export function behind(events: number, oldestAt: string | null, nowMs = Date.now()): string {
  const count = events === 1 ? '1 event' : `${events.toLocaleString('en')} events`;
  if (!oldestAt) return `${count} behind`;
  const seconds = Math.max(1, Math.round((nowMs - Date.parse(oldestAt)) / 1000));
  const [unit, size] = units.find(([, one]) => seconds >= one) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit} behind, ${count}`;
}
