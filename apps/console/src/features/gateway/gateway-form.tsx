import type { Gateway } from '@hilltop/contract';
import type { FieldName } from '../../api/facts.ts';
import { query } from '../../api/queries.ts';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { SwitchField } from '../../components/form/fields.tsx';
import { FormSections } from '../../components/form/form-sections.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextAreaField } from '../../components/form/text-area-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { KeyValueField } from '../../components/key-value-input/key-value-field.tsx';
import { KeyValueInput } from '../../components/key-value-input/key-value-input.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { EditForm } from '../../components/resource/edit-form.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { NoPermission } from '../../components/states/error-pages.tsx';
import { paths } from '../../paths.ts';
import { useCurrentOrganization } from '../../session/session.tsx';
import { GatewayBoards } from './gateway-boards.tsx';
import { GatewayPosition } from './gateway-position.tsx';
import { emptyGateway, fromForm, toForm } from './gateway-values.ts';

const ownChannels =
  'The gateway uses the Semtech UDP packet forwarder. Its channels are configured in a file on the gateway, not here.';

/** The gateway form. The profiles depend on the network-server, so selecting another one clears them. */
export function GatewayForm({ initial, isNew = false, onSubmit, ...rest }: ResourceFormProps<Gateway>) {
  const form = useMessageForm('Gateway', { values: toForm(initial) });
  const { boards, networkServerID, organizationID } = form.values;
  const set = (path: FieldName, value: unknown) => {
    form.set(path, value);
    if (path !== 'networkServerID' || value === networkServerID) return;
    form.set('serviceProfileID', '');
    form.set('gatewayProfileID', '');
  };
  const general = (
    <>
      <TextField name="name" />
      <TextAreaField name="description" rows={4} />
      {isNew && <HexField name="id" bytes={8} random />}
      <ResourceSelectField
        name="networkServerID"
        query={query('networkServer', 'list', { organizationID, limit: 999, offset: 0 })}
      />
      <ResourceSelectField
        name="serviceProfileID"
        clearable
        disabled={networkServerID === ''}
        query={{
          ...query('serviceProfile', 'list', { organizationID, networkServerID, limit: 999, offset: 0 }),
          enabled: networkServerID !== '',
        }}
      />
      <ResourceSelectField
        name="gatewayProfileID"
        clearable
        disabled={networkServerID === ''}
        {...(initial.metadata['link'] === 'semtech-udp' && { help: ownChannels })}
        query={{
          ...query('gatewayProfile', 'list', { networkServerID, limit: 999, offset: 0 }),
          enabled: networkServerID !== '',
        }}
      />
      <SwitchField name="discoveryEnabled" />
      <GatewayPosition form={form} />
      <GatewayBoards boards={boards} onChange={(next) => form.set('boards', next)} />
    </>
  );
  return (
    <MessageForm form={{ ...form, set }} isNew={isNew} onSubmit={(gateway) => onSubmit(fromForm(gateway))} {...rest}>
      <FormSections
        sections={[
          { value: 'general', label: 'General', content: general },
          { value: 'tags', label: 'Tags', content: <KeyValueField name="tags" noun="tag" /> },
          {
            value: 'metadata',
            label: 'Metadata',
            content: (
              <KeyValueInput
                noun="metadata"
                title="Metadata"
                description="Reported by the gateway with its statistics."
                value={initial.metadata}
                onChange={() => {}}
                readOnly
              />
            ),
          },
        ]}
      />
    </MessageForm>
  );
}

export function GatewayCreate() {
  const { organizationID } = useIDs();
  if (useCurrentOrganization()?.canHaveGateways === false) return <NoPermission />;
  return (
    <CreatePage of="gateway" form={GatewayForm} initial={{ ...emptyGateway, organizationID }}>
      <NeedsServiceProfile organizationID={organizationID} />
    </CreatePage>
  );
}

export function GatewayEdit() {
  const { organizationID, gatewayID } = useIDs();
  return <EditForm of="gateway" id={gatewayID} form={GatewayForm} to={paths.gateway.list(organizationID)} />;
}
