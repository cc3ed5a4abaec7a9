import type { LibraryModel, LibraryModelListItem } from '@hilltop/contract';
import { Alert, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { SelectField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { ModelSearch } from '../../components/library/model-search.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { titleOf } from '../../resources.ts';
import { ModelPreview } from './model-preview.tsx';

/** Creates a device-profile from a model of the device library. */
export function DeviceProfileFromLibrary() {
  const { organizationID } = useIDs();
  const [selected, setSelected] = useState<LibraryModelListItem | null>(null);
  const list = paths.deviceProfile.list(organizationID);
  return (
    <>
      <PageHeader
        crumbs={[{ label: titleOf('deviceProfile'), to: list }]}
        title="Create device-profile from the library"
      />
      <NeedsServiceProfile organizationID={organizationID} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper component="section" aria-label="Model">
          <ModelSearch selected={selected?.id} onSelect={setSelected} />
        </Paper>
        <Paper component="section" aria-label="Device-profile" aria-live="polite">
          {selected ? (
            <ChosenModel key={selected.id} id={selected.id} />
          ) : (
            <EmptyState title="Choose a model">
              Its profile and codec are shown here before anything is created.
            </EmptyState>
          )}
        </Paper>
      </SimpleGrid>
    </>
  );
}

function ChosenModel({ id }: { id: string }) {
  const found = useQuery(query('library', 'getModel', { id }));
  return <Loaded query={found}>{({ model }) => <CreateFrom model={model} />}</Loaded>;
}

function CreateFrom({ model }: { model: LibraryModel }) {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const made = useRef('');
  const newest = model.firmwares.at(-1)!;
  const form = useMessageForm('CreateLibraryProfileRequest', {
    values: { name: model.name, networkServerID: '', version: newest.version, profileID: '' },
  });
  const { networkServerID, version, profileID } = form.values;
  const { region, isKnown } = useRegion(networkServerID);
  const firmware = model.firmwares.find((one) => one.version === version) ?? newest;
  const fitting = fittingProfiles(firmware.profiles, isKnown ? region : undefined);
  const profile = fitting.find((one) => one.id === profileID) ?? fitting[0];
  useFirstProfile(form, profile?.id ?? '');
  return (
    <Stack>
      <Title order={2}>
        {model.vendor} {model.name}
      </Title>
      <MessageForm
        form={form}
        isNew
        bare
        submit="Create device-profile"
        onSubmit={async (values) => {
          const call = api.library.createProfile({ ...values, organizationID, modelID: model.id });
          const { id } = await perform(call, {
            changed: ['deviceProfile', 'library'],
            done: 'device-profile has been created',
          });
          made.current = id;
        }}
        onSaved={() => void navigate({ to: paths.deviceProfile.one(organizationID, made.current) })}
      >
        <ResourceSelectField
          name="networkServerID"
          query={query('networkServer', 'list', { organizationID, limit: 999, offset: 0 })}
        />
        <TextField name="name" />
        {model.firmwares.length > 1 && (
          <SelectField
            name="version"
            options={model.firmwares.map((one) => ({ value: one.version, label: one.version || 'any' }))}
          />
        )}
        {isKnown && fitting.length > 1 && (
          <SelectField
            name="profileID"
            help="The model has several profiles for this region."
            options={fitting.map((one) => ({ value: one.id, label: one.id }))}
          />
        )}
        {networkServerID !== '' && !profile && (
          <Alert color="orange" title="No profile for this region">
            The model has no profile for {region}, the region of the network-server. It has profiles for{' '}
            {model.regions.join(', ')}.
          </Alert>
        )}
      </MessageForm>
      {model.source === 'CATALOGUE' && firmware.passCount < firmware.vectorCount && (
        <Alert color="orange" title="Some test vectors of the codec fail">
          Check its values before you rely on them.
        </Alert>
      )}
      <ModelPreview model={model} firmware={firmware} profile={profile} />
    </Stack>
  );
}

/** The profiles for a region, or else those for every region. All while the region is not known. */
function fittingProfiles<Profile extends { region: string }>(profiles: readonly Profile[], region: string | undefined) {
  if (region === undefined) return profiles;
  const own = profiles.filter((one) => one.region === region);
  return own.length > 0 ? own : profiles.filter((one) => one.region === '');
}

/** The region of a network-server. */
function useRegion(networkServerID: string): { region: string; isKnown: boolean } {
  const { data } = useQuery({
    ...query('profileDefaults', 'get', { networkServerID }),
    enabled: networkServerID !== '',
    staleTime: Infinity,
  });
  return { region: data?.deviceProfile.rfRegion ?? '', isKnown: data !== undefined };
}

/** Selects the first profile that fits, also after the network-server or the firmware has changed. */
function useFirstProfile(form: { preset: (name: 'profileID', value: string) => void }, id: string): void {
  const latest = useRef(form);
  useLayoutEffect(() => {
    latest.current = form;
  });
  useEffect(() => latest.current.preset('profileID', id), [id]);
}
