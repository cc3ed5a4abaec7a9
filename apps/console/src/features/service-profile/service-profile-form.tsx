import type { ServiceProfile } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import { NeedsNetworkServer } from '../../components/first-step/needs-network-server.tsx';
import { CheckboxField, NumberField, SwitchField } from '../../components/form/fields.tsx';
import { FormSections } from '../../components/form/form-sections.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { NetworkServerOf } from '../../components/link/network-server-of.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { DuplicateLink } from '../../components/resource/duplicate-link.tsx';
import { EditPage } from '../../components/resource/edit-page.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { Explained } from '../../components/words/explained.tsx';

type Values = Partial<ServiceProfile>;

export function ServiceProfileForm({ initial, ...rest }: ResourceFormProps<Values>) {
  const { organizationID } = useIDs();
  const form = useMessageForm('ServiceProfile', { values: initial });
  const { devStatusReqFreq = 0, drMin = 0 } = form.values;
  // A profile is what allows an organization to use a network-server, so a new one offers all of them.
  const scope = rest.isNew ? {} : { organizationID };
  return (
    <MessageForm form={form} {...rest}>
      <FormSections
        narrow="groups"
        sections={[
          {
            value: 'general',
            label: 'General',
            content: (
              <>
                <TextField name="name" />
                <ResourceSelectField
                  name="networkServerID"
                  query={query('networkServer', 'list', { ...scope, limit: 999, offset: 0 })}
                />
                <SwitchField name="addGWMetaData" />
                <SwitchField name="nwkGeoLoc" />
              </>
            ),
          },
          {
            value: 'device-status',
            label: 'Device status',
            content: (
              <>
                <NumberField name="devStatusReqFreq" required />
                {devStatusReqFreq > 0 && (
                  <>
                    <CheckboxField name="reportDevStatusBattery" />
                    <CheckboxField name="reportDevStatusMargin" />
                  </>
                )}
              </>
            ),
          },
          {
            value: 'data-rates',
            label: 'Data-rates',
            content: (
              <>
                <Explained word="dataRate" />
                <NumberField name="drMin" />
                <NumberField
                  name="drMax"
                  validate={(max: number) => (max < drMin ? 'The maximum must not be below the minimum.' : null)}
                />
              </>
            ),
          },
          { value: 'gateways', label: 'Gateways', content: <SwitchField name="gwsPrivate" /> },
        ]}
      />
    </MessageForm>
  );
}

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
  return (
    <CreatePage
      of="serviceProfile"
      copySuffix=" (copy)"
      form={ServiceProfileForm}
      initial={empty}
      changed={['networkServer']}
    >
      <NeedsNetworkServer by="service-profiles" />
    </CreatePage>
  );
}

export function ServiceProfileEdit() {
  return (
    <EditPage
      of="serviceProfile"
      actions={(id) => <DuplicateLink of="serviceProfile" id={id} />}
      form={ServiceProfileForm}
      facts={({ drMin, drMax, nwkGeoLoc, gwsPrivate, organizationID, networkServerID }) => [
        { name: 'Data-rates', value: `DR${drMin} to DR${drMax}` },
        { name: 'Geolocation', value: nwkGeoLoc ? 'on' : 'off' },
        { name: 'Gateways', value: gwsPrivate ? 'private' : 'shared' },
        {
          name: 'Network-server',
          isLong: true,
          value: <NetworkServerOf id={networkServerID} organizationID={organizationID} />,
        },
      ]}
      deletion={{ forbidden: 'Only global administrators can delete service-profiles.' }}
    />
  );
}
