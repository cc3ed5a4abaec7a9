import type { DeviceProfile } from '@hilltop/contract';
import { Group, Text } from '@mantine/core';
import { IconBooks } from '@tabler/icons-react';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { FormSections } from '../../components/form/form-sections.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { LinkButton } from '../../components/link/link.tsx';
import { NetworkServerOf } from '../../components/link/network-server-of.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { EditPage } from '../../components/resource/edit-page.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { paths } from '../../paths.ts';
import { ClassBTab, ClassCTab, CodecTab, GeneralTab, JoinTab, TagsTab } from './device-profile-tabs.tsx';
import { classesText, codecName, emptyDeviceProfile, fromValues, toValues } from './device-profile-values.ts';
import { LibraryUpdateNotice } from './library-update-notice.tsx';
import { useDefaults } from './use-defaults.ts';

export function DeviceProfileForm({ initial, onSubmit, ...rest }: ResourceFormProps<Partial<DeviceProfile>>) {
  const form = useMessageForm('DeviceProfile', { values: toValues(initial) });
  const { values } = form;
  useDefaults(form, rest.isNew === true);
  return (
    <MessageForm form={form} {...rest} onSubmit={(changed) => onSubmit(fromValues(changed))}>
      <FormSections
        sections={[
          { value: 'general', label: 'General', content: <GeneralTab values={values} /> },
          { value: 'join', label: 'Join (OTAA / ABP)', content: <JoinTab values={values} /> },
          { value: 'class-b', label: 'Class-B', content: <ClassBTab values={values} /> },
          { value: 'class-c', label: 'Class-C', content: <ClassCTab values={values} /> },
          { value: 'codec', label: 'Codec', content: <CodecTab values={values} /> },
          { value: 'tags', label: 'Tags', content: <TagsTab /> },
        ]}
      />
    </MessageForm>
  );
}

export function DeviceProfileCreate() {
  const { organizationID } = useIDs();
  return (
    <CreatePage of="deviceProfile" form={DeviceProfileForm} initial={emptyDeviceProfile}>
      <NeedsServiceProfile organizationID={organizationID} />
      <Group mb="md">
        <LinkButton
          to={paths.deviceProfileFromLibrary(organizationID)}
          variant="default"
          leftSection={<IconBooks size={16} aria-hidden />}
        >
          From the library
        </LinkButton>
        <Text c="dimmed" size="sm">
          The device library has profiles and codecs by vendor and model.
        </Text>
      </Group>
    </CreatePage>
  );
}

export function DeviceProfileEdit() {
  return (
    <EditPage
      of="deviceProfile"
      form={DeviceProfileForm}
      notice={<LibraryUpdateNotice />}
      facts={({
        macVersion,
        regParamsRevision,
        supportsJoin,
        payloadCodec,
        organizationID,
        networkServerID,
        ...can
      }) => [
        { name: 'LoRaWAN', value: `${macVersion} ${regParamsRevision}` },
        { name: 'Class', value: classesText(can) },
        { name: 'Join', value: supportsJoin ? 'OTAA' : 'ABP' },
        { name: 'Codec', value: codecName(payloadCodec) },
        {
          name: 'Network-server',
          isLong: true,
          value: <NetworkServerOf id={networkServerID} organizationID={organizationID} />,
        },
      ]}
    />
  );
}
