import type { Organization } from '@hilltop/contract';
import { NumberField, SwitchField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { EditForm } from '../../components/resource/edit-form.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';

/** Limits are shown to global administrators only: other users cannot change them. */
function OrganizationForm({ initial, ...rest }: ResourceFormProps<Organization>) {
  const { user } = useSession();
  const form = useMessageForm('Organization', { values: initial });
  return (
    <MessageForm form={form} {...rest}>
      <TextField name="name" />
      <TextField name="displayName" />
      {user.isAdmin && (
        <FormSection title="Gateways">
          <SwitchField name="canHaveGateways" />
          {form.values.canHaveGateways && <NumberField name="maxGatewayCount" required />}
        </FormSection>
      )}
      {user.isAdmin && (
        <FormSection title="Devices">
          <NumberField name="maxDeviceCount" required />
        </FormSection>
      )}
    </MessageForm>
  );
}

const empty = { id: '0', name: '', displayName: '', canHaveGateways: false, maxGatewayCount: 0, maxDeviceCount: 0 };

export function OrganizationCreate() {
  return <CreatePage of="organization" form={OrganizationForm} initial={empty} />;
}

export function OrganizationEdit() {
  const { organizationID: id } = useIDs();
  return <EditForm of="organization" id={id} form={OrganizationForm} to={paths.organization.one(id)} />;
}
