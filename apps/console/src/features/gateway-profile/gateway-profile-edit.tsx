import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { GatewayProfileForm } from './gateway-profile-form.tsx';
import { toValues } from './gateway-profile-values.ts';

export function GatewayProfileEdit() {
  const { gatewayProfileID } = useIDs();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: paths.gatewayProfiles() });
  return (
    <Loaded isPage query={useQuery(query('gatewayProfile', 'get', { id: gatewayProfileID }))}>
      {({ gatewayProfile }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Gateway-profiles', to: paths.gatewayProfiles() }]}
            title={gatewayProfile.name}
            actions={
              <DeleteButton
                question="Are you sure you want to delete this gateway-profile?"
                name={gatewayProfile.name}
                onDelete={() =>
                  perform(api.gatewayProfile.delete({ id: gatewayProfileID }), {
                    gone: ['gatewayProfile'],
                    done: 'gateway-profile has been deleted',
                  })
                }
                onDone={toList}
              />
            }
          />
          <GatewayProfileForm
            key={gatewayProfile.id}
            initial={toValues(gatewayProfile)}
            submit="Update gateway-profile"
            onSubmit={(changed) =>
              perform(api.gatewayProfile.update({ gatewayProfile: changed }), {
                changed: ['gatewayProfile'],
                done: 'gateway-profile has been updated',
              })
            }
            onSaved={toList}
          />
        </>
      )}
    </Loaded>
  );
}
