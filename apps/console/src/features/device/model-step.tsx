import type { AddDeviceRequest, ApplicationListItem, DeviceProfileListItem } from '@hilltop/contract';
import type { DeviceLabel } from '@hilltop/lorawan/tr005';
import { Text } from '@mantine/core';
import { Disclosure } from '../../components/disclosure/disclosure.tsx';
import { SelectField } from '../../components/form/fields.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { newApplication, newProfile, profileOfLabel } from './add-device-values.ts';
import { ModelFromLibrary } from './model-from-library.tsx';
import type { LibraryChoice } from './profile-from-library.ts';

interface Props {
  profiles: readonly DeviceProfileListItem[];
  applications: readonly ApplicationListItem[];
  mayMake: boolean;
  label: DeviceLabel | undefined;
  values: AddDeviceRequest;
  /** Whether devices of the chosen profile join. */
  doesJoin: boolean;
  /** The model from which the next step creates the device-profile. */
  choice: LibraryChoice | undefined;
  onChoice: (choice: LibraryChoice) => void;
}

/** The device-profile, and the application that receives the data. */
export function ModelStep({ profiles, applications, mayMake, label, values, doesJoin, choice, onChoice }: Props) {
  const { organizationID } = useIDs();
  const mayCreateProfile = useMay()('library.createProfile');
  const isNew = values.deviceProfileID === newProfile;
  return (
    <>
      <SelectField
        name="deviceProfileID"
        searchable
        placeholder="Choose ..."
        options={[
          ...(choice ? [{ value: newProfile, label: `New: ${choice.name}` }] : []),
          ...profiles.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        validate={() => (doesJoin ? null : 'Devices of this profile do not join. Choose one with OTAA.')}
      />
      {isNew ? (
        <Text c="dimmed">Next creates this device-profile from the device library.</Text>
      ) : (
        <ModelNote profiles={profiles} label={label} chosen={values.deviceProfileID} />
      )}
      {mayCreateProfile && (
        <Disclosure
          label="Choose from the device library"
          open={label?.vendorID !== undefined && !profileOfLabel(profiles, label)}
        >
          <ModelFromLibrary label={label} choice={isNew ? choice : undefined} onChoice={onChoice} />
        </Disclosure>
      )}
      {!doesJoin && (
        <Text c="dimmed" size="sm">
          Devices of this profile use ABP: they have a session from the start. Open their{' '}
          <AppLink to={paths.application.list(organizationID)}>application</AppLink> and create them there.
        </Text>
      )}
      <SelectField
        name="applicationID"
        required
        searchable
        placeholder="Choose ..."
        options={[
          ...applications.map(({ id, name }) => ({ value: id, label: name })),
          ...(mayMake ? [{ value: newApplication, label: 'A new one' }] : []),
        ]}
      />
      {values.applicationID === newApplication && <TextField name="applicationName" required />}
    </>
  );
}

interface NoteProps {
  profiles: readonly DeviceProfileListItem[];
  label: DeviceLabel | undefined;
  chosen: string;
}

/** Whether the label chose the device-profile. */
function ModelNote({ profiles, label, chosen }: NoteProps) {
  if (label?.vendorID === undefined) return null;
  const known = profileOfLabel(profiles, label);
  const code = `vendor ${label.vendorID}, profile ${label.profileID}`;
  if (known?.id === chosen) return <Text c="dimmed">Found by the code on the device ({code}).</Text>;
  if (known) return <Text c="dimmed">The code on the device names another device-profile: {known.name}.</Text>;
  return <Text c="dimmed">No device-profile of this organization has the code on the device yet ({code}).</Text>;
}
