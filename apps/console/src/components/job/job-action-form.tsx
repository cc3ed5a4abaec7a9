import type { JobKindName } from '@hilltop/contract';
import { Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { KeyValueInput } from '../key-value-input/key-value-input.tsx';
import type { JobActionFormProps } from './job-action.ts';
import { MoveForm } from './move-form.tsx';
import { RecordSelect } from './record-select.tsx';

const all = { limit: 1000, offset: 0 } as const;

/** The fields of one kind of jobs. */
export function JobActionForm({ kind, ...props }: JobActionFormProps & { kind: JobKindName }) {
  const { scope, onChange } = props;
  const { organizationID, applicationID = '' } = scope;
  if (kind === 'MOVE_DEVICES') return <MoveForm {...props} />;
  if (kind === 'CHANGE_DEVICE_TAGS' || kind === 'CHANGE_GATEWAY_TAGS')
    return <NamesForm noun="tag" canRename onChange={onChange} />;
  if (kind === 'CHANGE_DEVICE_VARIABLES') return <NamesForm noun="variable" onChange={onChange} />;
  if (kind === 'SET_DEVICE_PROFILE')
    return (
      <RecordSelect
        label="Device-profile"
        read={query('deviceProfile', 'list', { ...all, organizationID })}
        onChange={(deviceProfileID) => onChange({ deviceProfileID })}
      />
    );
  if (kind === 'ADD_TO_MULTICAST_GROUP' || kind === 'REMOVE_FROM_MULTICAST_GROUP')
    return (
      <RecordSelect
        label="Multicast-group"
        read={query('multicastGroup', 'list', {
          ...all,
          ...(applicationID === '' ? { organizationID } : { applicationID }),
        })}
        onChange={(multicastGroupID) => onChange({ multicastGroupID })}
      />
    );
  if (kind === 'SET_GATEWAY_PROFILE')
    return (
      <RecordSelect
        label="Gateway-profile"
        read={query('gatewayProfile', 'list', all)}
        none="No gateway-profile"
        onChange={(gatewayProfileID) => onChange({ gatewayProfileID })}
      />
    );
  if (kind === 'SET_GATEWAY_SERVICE_PROFILE')
    return (
      <RecordSelect
        label="Service-profile"
        read={query('serviceProfile', 'list', { ...all, organizationID })}
        none="No service-profile"
        onChange={(serviceProfileID) => onChange({ serviceProfileID })}
      />
    );
  return null;
}

interface NamesFormProps {
  noun: 'tag' | 'variable';
  canRename?: boolean;
  onChange: JobActionFormProps['onChange'];
}

interface NameChanges {
  set: Record<string, string>;
  remove: string;
  from: string;
  to: string;
  problem: string | null;
}

/** Sets, removes and renames tags or variables. Others stay as they are. */
function NamesForm({ noun, canRename = false, onChange }: NamesFormProps) {
  const [changes, setChanges] = useState<NameChanges>({ set: {}, remove: '', from: '', to: '', problem: null });

  function change(part: Partial<NameChanges>) {
    const next = { ...changes, ...part };
    setChanges(next);
    const remove = next.remove
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const [from, to] = [next.from.trim(), next.to.trim()];
    const isHalf = (from === '') !== (to === '');
    const isEmpty = Object.keys(next.set).length === 0 && remove.length === 0 && from === '';
    if (next.problem !== null || isHalf || isEmpty) onChange(null);
    else onChange({ set: next.set, remove, ...(from !== '' && { rename: { [from]: to } }) });
  }

  return (
    <>
      <KeyValueInput
        noun={noun}
        title={`Set ${noun}s`}
        description="Other names stay as they are."
        value={{}}
        onChange={(set, problem) => change({ set, problem })}
      />
      <TextInput
        label={`Remove ${noun}s`}
        description="Names, separated by commas"
        value={changes.remove}
        onChange={(event) => change({ remove: event.currentTarget.value })}
        autoComplete="off"
      />
      {canRename && (
        <Group grow align="flex-start">
          <TextInput
            label={`Rename ${noun}`}
            description="Current name"
            value={changes.from}
            onChange={(event) => change({ from: event.currentTarget.value })}
            autoComplete="off"
          />
          <TextInput
            label="New name"
            value={changes.to}
            onChange={(event) => change({ to: event.currentTarget.value })}
            autoComplete="off"
          />
        </Group>
      )}
    </>
  );
}
