import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { GatewayMap } from './gateway-map.tsx';
import { SummaryCards } from './summary-cards.tsx';
import { TroubledIntegrations } from './troubled-integrations.tsx';
import { WhenEmpty } from './when-empty.tsx';

/** Refetch interval: dashboards are left open all day. */
const refreshMs = 30_000;

/** Devices and gateways of an organization, or of all organizations ('0'). */
export function Overview({ organizationID }: { organizationID: string }) {
  const refreshed = { refetchInterval: refreshMs, staleTime: 0 };
  const devices = useQuery({ ...query('internal', 'getDevicesSummary', { organizationID }), ...refreshed });
  const gateways = useQuery({ ...query('internal', 'getGatewaysSummary', { organizationID }), ...refreshed });
  return (
    <WhenEmpty organizationID={organizationID} devices={devices.data} isFailed={devices.isError}>
      <TroubledIntegrations organizationID={organizationID} />
      <SummaryCards devices={devices} gateways={gateways} />
      <GatewayMap organizationID={organizationID} />
    </WhenEmpty>
  );
}
