import { useIDs } from '../../components/link/use-ids.ts';
import { Overview } from './overview.tsx';

export function OrganizationDashboard() {
  return <Overview organizationID={useIDs().organizationID} />;
}
