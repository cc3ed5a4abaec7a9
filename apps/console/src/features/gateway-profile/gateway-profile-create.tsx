import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { FirstStepDialog } from '../../components/first-step/first-step-dialog.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { GatewayProfileForm } from './gateway-profile-form.tsx';
import { emptyGatewayProfile } from './gateway-profile-values.ts';

export function GatewayProfileCreate() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Gateway-profiles', to: paths.gatewayProfiles() }]}
        title="Create gateway-profile"
      />
      <FirstStepDialog
        query={query('networkServer', 'list', { limit: 0, offset: 0 })}
        title="Add a network-server?"
        text="No network-server is known yet. A network-server connects Hilltop to the gateways and devices of one region; gateway-profiles need one."
        action="Add network-server"
        to={paths.networkServerCreate()}
      />
      <GatewayProfileForm
        initial={emptyGatewayProfile}
        isNew
        submit="Create gateway-profile"
        onSubmit={(gatewayProfile) =>
          perform(api.gatewayProfile.create({ gatewayProfile }), {
            changed: ['gatewayProfile'],
            done: 'gateway-profile has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.gatewayProfiles() })}
      />
    </>
  );
}
