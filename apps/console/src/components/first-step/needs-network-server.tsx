import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { FirstStepDialog } from './first-step-dialog.tsx';

/** Profiles of gateways and of services ask for a network-server first. */
export function NeedsNetworkServer({ by }: { by: string }) {
  return (
    <FirstStepDialog
      query={query('networkServer', 'list', { limit: 0, offset: 0 })}
      title="Add a network-server?"
      text={`No network-server is known yet. A network-server connects Hilltop to the gateways and devices of one region; ${by} need one.`}
      action="Add network-server"
      to={paths.networkServer.create()}
    />
  );
}
