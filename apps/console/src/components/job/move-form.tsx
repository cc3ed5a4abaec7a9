import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import type { JobActionFormProps } from './job-action.ts';
import { RecordSelect } from './record-select.tsx';

const all = { limit: 1000, offset: 0 } as const;

/** Chooses the application, also of another organization, and the device-profiles that have no namesake there. */
export function MoveForm({ scope, rehearsal, onChange }: JobActionFormProps) {
  const [organizationID, setOrganizationID] = useState(scope.organizationID);
  const [applicationID, setApplicationID] = useState<string | null>(null);
  const [profiles, setProfiles] = useState<Record<string, string>>({});
  const organizations = useQuery(query('organization', 'list', all));
  const offered = (organizations.data?.result ?? []).map(({ id, name, displayName }) => ({
    value: id,
    label: displayName || name,
  }));
  const isOther = organizationID !== scope.organizationID;
  const lacksProfile = rehearsal?.refused.some(({ reason }) => reason === 'NO_SAME_PROFILE') ?? false;
  const [wasLacking, setLacking] = useState(false);
  if (lacksProfile && !wasLacking) setLacking(true);

  function choose(application: string, deviceProfileIDs: Record<string, string>) {
    setApplicationID(application);
    setProfiles(deviceProfileIDs);
    onChange({ applicationID: application, deviceProfileIDs });
  }

  return (
    <>
      {offered.length > 1 && (
        <Select
          label="Organization"
          data={offered}
          value={organizationID}
          onChange={(id) => {
            if (id === null) return;
            setOrganizationID(id);
            setApplicationID(null);
            setProfiles({});
            setLacking(false);
            onChange(null);
          }}
          allowDeselect={false}
          searchable
          openOnFocus={false}
        />
      )}
      <RecordSelect
        key={organizationID}
        label="Application"
        read={query('application', 'list', { ...all, organizationID })}
        value={applicationID}
        onChange={(id) => choose(id, profiles)}
      />
      {isOther && wasLacking && applicationID !== null && (
        <ProfileChoice
          from={scope.organizationID}
          to={organizationID}
          chosen={profiles}
          onChange={(next) => choose(applicationID, next)}
        />
      )}
    </>
  );
}

interface ProfileChoiceProps {
  from: string;
  to: string;
  chosen: Readonly<Record<string, string>>;
  onChange: (chosen: Record<string, string>) => void;
}

/** The device-profiles of one organization that the other one does not have under the same name. */
function ProfileChoice({ from, to, chosen, onChange }: ProfileChoiceProps) {
  const present = useQuery(query('deviceProfile', 'list', { ...all, organizationID: from }));
  const offered = useQuery(query('deviceProfile', 'list', { ...all, organizationID: to }));
  const missing = (present.data?.result ?? []).filter(
    (one) =>
      !offered.data?.result.some(
        ({ name, networkServerID }) => name === one.name && networkServerID === one.networkServerID,
      ),
  );
  return missing.map(({ id, name, networkServerID }) => (
    <Select
      key={id}
      label={`Instead of device-profile ${name}`}
      placeholder="Choose ..."
      data={(offered.data?.result ?? [])
        .filter((one) => one.networkServerID === networkServerID)
        .map((one) => ({ value: one.id, label: one.name }))}
      value={chosen[id] ?? null}
      onChange={(chosenID) => chosenID !== null && onChange({ ...chosen, [id]: chosenID })}
      allowDeselect={false}
      searchable
      openOnFocus={false}
    />
  ));
}
