import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextAreaField } from '../../components/form/text-area-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';

const mostOrganizations = 999;

/** Publishes a device-profile of any organization. */
export function PublishModel({ onDone }: { onDone: () => void }) {
  const [organizationID, setOrganizationID] = useState<string | null>(null);
  const organizations = useQuery(query('organization', 'list', { limit: mostOrganizations, offset: 0 }));
  const form = useMessageForm('PublishLibraryModelRequest', {
    values: { deviceProfileID: '', vendor: '', name: '', description: '' },
  });
  return (
    <MessageForm
      form={form}
      bare
      submit="Publish model"
      onSubmit={(values) =>
        perform(api.library.publish(values), { changed: ['library'], done: 'model has been published' })
      }
      onSaved={onDone}
    >
      <Stack gap="sm">
        <Select
          label="Organization"
          withAsterisk
          placeholder={organizations.isPending ? 'Loading ...' : 'Choose ...'}
          searchable
          data={(organizations.data?.result ?? []).map(({ id, displayName }) => ({ value: id, label: displayName }))}
          value={organizationID}
          onChange={(id) => {
            setOrganizationID(id);
            form.preset('deviceProfileID', '');
          }}
        />
        <ResourceSelectField
          name="deviceProfileID"
          query={{
            ...query('deviceProfile', 'list', { organizationID: organizationID ?? '', limit: 999, offset: 0 }),
            enabled: organizationID !== null,
          }}
        />
        <TextField name="vendor" />
        <TextField name="name" />
        <TextAreaField name="description" />
      </Stack>
    </MessageForm>
  );
}
