import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { FirstStepDialog } from './first-step-dialog.tsx';

/** Gateway-profiles and service-profiles need a network-server. */
export function NeedsNetworkServer({ by }: { by: string }) {
  return (
    <FirstStepDialog
      query={query('networkServer', 'list', { limit: 0, offset: 0 })}
      title="Add a network-server?"
      text={`There is no network-server yet. A network-server connects Hilltop to the gateways and devices of one region; ${by} need one.`}
      action="Add network-server"
      to={paths.networkServer.create()}
    />
  );
}
