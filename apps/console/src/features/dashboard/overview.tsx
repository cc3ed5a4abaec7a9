import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { useAttention } from './attention.tsx';
import { Figures } from './figures.tsx';
import { GatewayMap } from './gateway-map.tsx';
import { listLinksOf } from './list-links.ts';
import { SummaryCards } from './summary-cards.tsx';
import { useTraffic } from './use-traffic.ts';
import { WhenEmpty } from './when-empty.tsx';

/** Refetch interval: dashboards are left open all day. */
const refreshMs = 30_000;

/** Devices and gateways of an organization, or of all organizations ('0'). */
export function Overview({ organizationID }: { organizationID: string }) {
  const refreshed = { refetchInterval: refreshMs, staleTime: 0 };
  const devices = useQuery({ ...query('internal', 'getDevicesSummary', { organizationID }), ...refreshed });
  const gateways = useQuery({ ...query('internal', 'getGatewaysSummary', { organizationID }), ...refreshed });
  const { attention, isLoading } = useAttention(organizationID);
  const { traffic, isMissing } = useTraffic(organizationID, refreshMs);
  const links = useMemo(() => listLinksOf(organizationID), [organizationID]);
  return (
    <WhenEmpty organizationID={organizationID} devices={devices.data} isFailed={devices.isError} isWaiting={isLoading}>
      <Figures
        devices={devices.isError ? null : devices.data}
        gateways={gateways.isError ? null : gateways.data}
        traffic={traffic}
        hasNoTraffic={isMissing}
        links={links}
      />
      {attention}
      <SummaryCards devices={devices} gateways={gateways} links={links} />
      <GatewayMap organizationID={organizationID} />
    </WhenEmpty>
  );
}
