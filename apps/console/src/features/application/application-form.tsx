import type { Application } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { query } from '../../api/queries.ts';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { SelectField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextAreaField } from '../../components/form/text-area-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { EditForm } from '../../components/resource/edit-form.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { paths } from '../../paths.ts';
import { CopyIntegrations } from './copy-integrations.tsx';

type Values = Partial<Application>;

function ApplicationForm({ initial, ...rest }: ResourceFormProps<Values>) {
  const { organizationID } = useIDs();
  const form = useMessageForm('Application', { values: initial });
  return (
    <MessageForm form={form} {...rest}>
      <TextField name="name" />
      <TextField name="description" />
      <ResourceSelectField
        name="serviceProfileID"
        query={query('serviceProfile', 'list', { organizationID, limit: 999, offset: 0 })}
      />
      {initial.payloadCodec ? (
        <LegacyCodec isCustom={form.values.payloadCodec === 'CUSTOM_JS'} />
      ) : (
        <Text c="dimmed" size="sm">
          Payload codecs are set in the device-profile.
        </Text>
      )}
    </MessageForm>
  );
}

/** Applications of older installations may still have a codec of their own. */
function LegacyCodec({ isCustom }: { isCustom: boolean }) {
  return (
    <FormSection title="Payload codec" help="The codec of the device-profile has precedence.">
      <SelectField name="payloadCodec" />
      {isCustom && (
        <>
          <TextAreaField name="payloadDecoderScript" rows={8} spellCheck={false} />
          <TextAreaField name="payloadEncoderScript" rows={8} spellCheck={false} />
        </>
      )}
    </FormSection>
  );
}

const copyIntegrations = {
  Choice: CopyIntegrations,
  requestOf: (from: string) => ({ integrationsFrom: from }),
};

export function ApplicationCreate() {
  const { organizationID } = useIDs();
  return (
    <CreatePage
      of="application"
      form={ApplicationForm}
      initial={{ name: '', description: '', serviceProfileID: '' }}
      copySuffix="-copy"
      notCopied="devices and multicast-groups"
      copyAlong={copyIntegrations}
    >
      <NeedsServiceProfile organizationID={organizationID} />
    </CreatePage>
  );
}

export function ApplicationEdit() {
  const { organizationID, applicationID: id } = useIDs();
  return <EditForm of="application" id={id} form={ApplicationForm} to={paths.application.one(organizationID, id)} />;
}
