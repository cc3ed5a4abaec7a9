import type { Gateway } from '@hilltop/contract';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { GatewayForm } from './gateway-form.tsx';

const empty: Gateway = {
  id: '',
  name: '',
  description: '',
  location: { latitude: 0, longitude: 0, altitude: 0, source: 'UNKNOWN', accuracy: 0 },
  organizationID: '',
  discoveryEnabled: false,
  networkServerID: '',
  serviceProfileID: '',
  gatewayProfileID: '',
  boards: [],
  tags: {},
  metadata: {},
};

export function GatewayCreate() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader crumbs={[{ label: 'Gateways', to: paths.gateways(organizationID) }]} title="Create" />
      <NeedsServiceProfile organizationID={organizationID} />
      <GatewayForm
        initial={{ ...empty, organizationID }}
        isNew
        submit="Create gateway"
        onSubmit={(gateway) =>
          perform(api.gateway.create({ gateway }), { changed: ['gateway'], done: 'gateway has been created' })
        }
        onSaved={() => void navigate({ to: paths.gateways(organizationID) })}
      />
    </>
  );
}
