import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { GatewayForm } from './gateway-form.tsx';
import { useGateway } from './use-gateway.ts';

const nowhere = { latitude: 0, longitude: 0, altitude: 0, source: 'UNKNOWN', accuracy: 0 } as const;

export function GatewayEdit() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  return (
    <Loaded query={useGateway()}>
      {({ gateway }) => (
        <GatewayForm
          key={gateway.id}
          initial={{ ...gateway, location: gateway.location ?? nowhere }}
          submit="Update gateway"
          onSubmit={(changed) =>
            perform(api.gateway.update({ gateway: changed }), {
              changed: ['gateway'],
              done: 'gateway has been updated',
            })
          }
          onSaved={() => void navigate({ to: paths.gateways(organizationID) })}
        />
      )}
    </Loaded>
  );
}
