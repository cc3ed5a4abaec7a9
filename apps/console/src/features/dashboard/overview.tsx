import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { GatewayMap } from './gateway-map.tsx';
import { SummaryCards } from './summary-cards.tsx';

/** Devices and gateways of an organization, or of all of them ('0'), at a glance. */
export function Overview({ organizationID }: { organizationID: string }) {
  const devices = useQuery(query('internal', 'getDevicesSummary', { organizationID }));
  const gateways = useQuery(query('internal', 'getGatewaysSummary', { organizationID }));
  return (
    <>
      <SummaryCards devices={devices} gateways={gateways} />
      <GatewayMap organizationID={organizationID} />
    </>
  );
}
