import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { FirstStepDialog } from '../../components/first-step/first-step-dialog.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { ServiceProfileForm } from './service-profile-form.tsx';

const empty = {
  name: '',
  networkServerID: '',
  addGWMetaData: true,
  nwkGeoLoc: false,
  gwsPrivate: false,
  devStatusReqFreq: 0,
  reportDevStatusBattery: false,
  reportDevStatusMargin: false,
  drMin: 0,
  drMax: 5,
};

export function ServiceProfileCreate() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Service-profiles', to: paths.serviceProfiles(organizationID) }]}
        title="Create service-profile"
      />
      <FirstStepDialog
        query={query('networkServer', 'list', { limit: 0, offset: 0 })}
        title="Add a network-server?"
        text="No network-server is known yet. A network-server connects Hilltop to the gateways and devices of one region; service-profiles need one."
        action="Add network-server"
        to={paths.networkServerCreate()}
      />
      <ServiceProfileForm
        initial={empty}
        isNew
        submit="Create service-profile"
        onSubmit={(serviceProfile) =>
          perform(api.serviceProfile.create({ serviceProfile: { ...serviceProfile, organizationID } }), {
            changed: ['serviceProfile', 'networkServer'],
            done: 'service-profile has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.serviceProfiles(organizationID) })}
      />
    </>
  );
}
