import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { SummaryCards } from './summary-cards.tsx';

/** The state of an organization's devices and gateways at a glance. */
export function OrganizationDashboard() {
  const { organizationID } = useIDs();
  const devices = useQuery(query('internal', 'getDevicesSummary', { organizationID }));
  const gateways = useQuery(query('internal', 'getGatewaysSummary', { organizationID }));
  return <SummaryCards devices={devices} gateways={gateways} />;
}
