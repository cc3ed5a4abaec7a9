import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { Attention } from './attention.tsx';
import { Figures } from './figures.tsx';
import { GatewayMap } from './gateway-map.tsx';
import { SummaryCards } from './summary-cards.tsx';
import type { StateLinks } from './summary-slices.ts';
import { useGatewayLinks } from './use-gateway-links.ts';
import { useTraffic } from './use-traffic.ts';
import { WhenEmpty } from './when-empty.tsx';

/** Refetch interval: dashboards are left open all day. */
const refreshMs = 30_000;

/** The applications count their devices by state and lead to them. */
function deviceLinksOf(organizationID: string): StateLinks {
  if (organizationID === '0') return {};
  const list = { to: paths.application.list(organizationID) };
  return { neverSeen: list, inactive: list, active: list };
}

/** Devices and gateways of an organization, or of all organizations ('0'). */
export function Overview({ organizationID }: { organizationID: string }) {
  const refreshed = { refetchInterval: refreshMs, staleTime: 0 };
  const devices = useQuery({ ...query('internal', 'getDevicesSummary', { organizationID }), ...refreshed });
  const gateways = useQuery({ ...query('internal', 'getGatewaysSummary', { organizationID }), ...refreshed });
  const { traffic, isMissing } = useTraffic(organizationID, refreshMs);
  const links = useGatewayLinks(organizationID);
  const deviceLinks = useMemo(() => deviceLinksOf(organizationID), [organizationID]);
  return (
    <WhenEmpty organizationID={organizationID} devices={devices.data} isFailed={devices.isError}>
      <Figures
        devices={devices.isError ? null : devices.data}
        gateways={gateways.isError ? null : gateways.data}
        traffic={traffic}
        hasNoTraffic={isMissing}
        gatewaysLink={links.all}
      />
      <Attention organizationID={organizationID} />
      <SummaryCards devices={devices} gateways={gateways} deviceLinks={deviceLinks} gatewayLinks={links} />
      <GatewayMap organizationID={organizationID} />
    </WhenEmpty>
  );
}
