import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { FirstStepDialog } from './first-step-dialog.tsx';

/** Device-profiles, gateways and applications need a service-profile. */
export function NeedsServiceProfile({ organizationID }: { organizationID: string }) {
  return (
    <FirstStepDialog
      query={query('serviceProfile', 'list', { organizationID, limit: 0, offset: 0 })}
      title="Add a service-profile?"
      text="This organization has no service-profile yet. A service-profile connects an organization to a network-server and defines which features its devices may use."
      action="Create service-profile"
      to={paths.serviceProfile.create(organizationID)}
    />
  );
}
