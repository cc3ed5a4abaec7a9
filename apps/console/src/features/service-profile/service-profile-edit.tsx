import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { ServiceProfileForm } from './service-profile-form.tsx';

export function ServiceProfileEdit() {
  const { organizationID, serviceProfileID } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: paths.serviceProfiles(organizationID) });
  return (
    <Loaded isPage query={useQuery(query('serviceProfile', 'get', { id: serviceProfileID }))}>
      {({ serviceProfile }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Service-profiles', to: paths.serviceProfiles(organizationID) }]}
            title={serviceProfile.name}
            actions={
              <DeleteButton
                question="Are you sure you want to delete this service-profile?"
                name={serviceProfile.name}
                disabledReason={
                  may('serviceProfile.delete') ? undefined : 'Only global administrators delete service-profiles.'
                }
                onDelete={() =>
                  perform(api.serviceProfile.delete({ id: serviceProfileID }), {
                    gone: ['serviceProfile'],
                    done: 'service-profile has been deleted',
                  })
                }
                onDone={toList}
              />
            }
          />
          <ServiceProfileForm
            key={serviceProfile.id}
            initial={serviceProfile}
            submit="Update service-profile"
            disabled={!may('serviceProfile.update')}
            onSubmit={(changed) =>
              perform(api.serviceProfile.update({ serviceProfile: changed }), {
                changed: ['serviceProfile'],
                done: 'service-profile has been updated',
              })
            }
            onSaved={toList}
          />
        </>
      )}
    </Loaded>
  );
}
