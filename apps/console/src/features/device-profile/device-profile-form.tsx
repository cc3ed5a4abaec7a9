import type { DeviceProfile } from '@hilltop/contract';
import { Group, Text } from '@mantine/core';
import { IconBooks } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Variables } from '../../components/codec-bench/run-codec.ts';
import { markOfRefusal, type ScriptMark } from '../../components/codec-bench/script-mark.ts';
import { type UplinkTrial, warnOfFailures } from '../../components/codec-bench/uplink-trial.ts';
import { useVectorCheck } from '../../components/codec-bench/use-vector-check.tsx';
import { useVectors } from '../../components/codec-bench/use-vectors.ts';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { FormSections } from '../../components/form/form-sections.tsx';
import { isSame } from '../../components/form/merge.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { LinkButton } from '../../components/link/link.tsx';
import { NetworkServerOf } from '../../components/link/network-server-of.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { CreatePage } from '../../components/resource/create-page.tsx';
import { DuplicateLink } from '../../components/resource/duplicate-link.tsx';
import { EditPage } from '../../components/resource/edit-page.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { paths } from '../../paths.ts';
import { CodecTab, codecOf } from './codec-tab.tsx';
import { ClassBTab, ClassCTab, GeneralTab, JoinTab, TagsTab } from './device-profile-tabs.tsx';
import {
  classesText,
  codecName,
  type DeviceProfileValues,
  emptyDeviceProfile,
  fromValues,
  toValues,
} from './device-profile-values.ts';
import { LibraryUpdateNotice } from './library-update-notice.tsx';
import { useDefaults } from './use-defaults.ts';

export function DeviceProfileForm({ initial, onSubmit, ...rest }: ResourceFormProps<Partial<DeviceProfile>>) {
  const form = useMessageForm('DeviceProfile', { values: toValues(initial) });
  const { values } = form;
  const { organizationID } = useIDs();
  const deviceProfileID = initial.id ?? '';
  const { from }: { from?: string } = useSearch({ strict: false });
  const isCopy = rest.isNew === true && from !== undefined;
  const vectors = useVectors(deviceProfileID, isCopy ? from : '');
  const vectorCheck = useVectorCheck();
  const [variables, setVariables] = useState<Variables>({});
  const trial = useRef<UplinkTrial>(null);
  const [mark, setMark] = useState<ScriptMark | null>(null);
  useDefaults(form, rest.isNew === true && !isCopy);

  async function save(changed: DeviceProfileValues) {
    const codec = codecOf(changed);
    if (vectors.isChanged || !isSame(codec, codecOf(toValues(initial))))
      await vectorCheck.check(codec, vectors.list, { organizationID, variables });
    setMark(null);
    const answer = await onSubmit(fromValues(changed)).catch((error: unknown) => {
      setMark(markOfRefusal(error));
      throw error;
    });
    await vectors.save(deviceProfileID || ((answer as { id?: string } | undefined)?.id ?? ''));
    warnOfFailures(codec, trial.current);
  }

  const codec = (
    <CodecTab
      values={values}
      deviceProfileID={deviceProfileID}
      vectors={vectors}
      variables={variables}
      onVariables={setVariables}
      mark={mark}
      onMark={setMark}
      onTrial={(last) => {
        trial.current = last;
      }}
    />
  );
  return (
    <>
      <MessageForm form={form} {...rest} hasOtherChanges={vectors.isChanged} onSubmit={save}>
        <FormSections
          sections={[
            { value: 'general', label: 'General', content: <GeneralTab values={values} /> },
            { value: 'join', label: 'Join (OTAA / ABP)', content: <JoinTab values={values} /> },
            { value: 'class-b', label: 'Class-B', content: <ClassBTab values={values} /> },
            { value: 'class-c', label: 'Class-C', content: <ClassCTab values={values} /> },
            { value: 'codec', label: 'Codec', content: codec },
            { value: 'tags', label: 'Tags', content: <TagsTab /> },
          ]}
        />
      </MessageForm>
      {vectorCheck.dialog}
    </>
  );
}

export function DeviceProfileCreate() {
  const { organizationID } = useIDs();
  return (
    <CreatePage of="deviceProfile" copySuffix=" (copy)" form={DeviceProfileForm} initial={emptyDeviceProfile}>
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
      actions={(id) => <DuplicateLink of="deviceProfile" id={id} />}
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
