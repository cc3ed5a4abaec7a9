import type { OrganizationUser } from '@hilltop/contract';
import { Radio, Stack } from '@mantine/core';
import { query } from '../../api/queries.ts';
import { CheckboxField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { RecordListField } from '../../components/form/record-list-field.tsx';
import type { MessageFormState } from '../../components/form/use-message-form.ts';

const flags = ['isAdmin', 'isDeviceAdmin', 'isGatewayAdmin'] as const;

type Rights = Pick<OrganizationUser, (typeof flags)[number] | 'isReadOnly' | 'applicationIDs'>;

interface Props<Values extends Rights> {
  form: MessageFormState<Values>;
  organizationID: string;
}

/** The rights of a member, in the form of a member and of an invitation. */
export function RightsFields<Values extends Rights>({ form, organizationID }: Props<Values>) {
  const { isReadOnly = false, isAdmin, isGatewayAdmin } = form.values;
  const choose = (role: string) => {
    form.set('isReadOnly', role === 'readOnly');
    if (role === 'readOnly') for (const flag of flags) form.set(flag, false);
  };
  return (
    <>
      <FormSection
        title="Role"
        help="A user sees everything in the organization and can send downlinks. Roles permit more, a limit permits less."
      >
        <Radio.Group aria-label="Role" value={isReadOnly ? 'readOnly' : 'user'} onChange={choose}>
          <Stack gap="xs">
            <Radio value="user" label="User" />
            <Radio value="readOnly" label="Read-only" description="Sees everything, and sends and changes nothing." />
          </Stack>
        </Radio.Group>
        {!isReadOnly && (
          <>
            <CheckboxField name="isAdmin" />
            {!isAdmin && (
              <>
                <CheckboxField name="isDeviceAdmin" />
                <CheckboxField name="isGatewayAdmin" />
              </>
            )}
          </>
        )}
      </FormSection>
      {!isAdmin && !isGatewayAdmin && (
        <FormSection
          title="Limit"
          help="With a limit, the user sees and uses only these applications and their devices, and no gateways."
        >
          <RecordListField
            name="applicationIDs"
            noun="application"
            help="Without a choice, all applications of the organization."
            query={query('application', 'list', { organizationID, limit: 999, offset: 0 })}
          />
        </FormSection>
      )}
    </>
  );
}
