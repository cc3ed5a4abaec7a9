import type { FileImport } from '@hilltop/contract';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { useImportAddress } from './use-import.ts';

type Kind = FileImport['kind'];
type Constants = Readonly<Record<string, string>>;

/** The fields that rows refer to by name, and the records that they can name. */
function useReferences(kind: Kind): { field: string; label: string; records: { id: string; name: string }[] | null }[] {
  const { organizationID } = useIDs();
  const all = { organizationID, limit: 999, offset: 0 };
  const ofDevices = kind === 'DEVICES';
  const applications = useQuery({ ...query('application', 'list', all), enabled: ofDevices });
  const profiles = useQuery({ ...query('deviceProfile', 'list', all), enabled: ofDevices });
  const servers = useQuery({ ...query('networkServer', 'list', all), enabled: !ofDevices });
  return ofDevices
    ? [
        { field: 'application', label: 'Application', records: applications.data?.result ?? null },
        { field: 'deviceProfile', label: 'Device-profile', records: profiles.data?.result ?? null },
      ]
    : [{ field: 'networkServer', label: 'Network-server', records: servers.data?.result ?? null }];
}

interface Props {
  kind: Kind;
  /** The fields of columns: rows without a value get the one for all rows. */
  used: ReadonlySet<string>;
  constants: Constants;
  onChange: (constants: Record<string, string>) => void;
}

/** What rows refer to where no column does. */
export function ConstantSelects({ kind, used, constants, onChange }: Props) {
  return useReferences(kind).map(({ field, label, records }) => (
    <Select
      key={field}
      label={label}
      description={descriptionOf(label, records, used.has(field))}
      placeholder="Choose ..."
      searchable
      clearable
      disabled={records === null}
      data={(records ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={constants[field] ?? null}
      onChange={(value) => onChange({ ...constants, [field]: value ?? '' })}
    />
  ));
}

function descriptionOf(label: string, records: readonly object[] | null, isColumn: boolean): string | undefined {
  if (records?.length === 0) return `The organization has no ${label.toLowerCase()} yet. Create one first.`;
  return isColumn ? 'For rows that name none.' : undefined;
}

/** Chooses what the address names, and what the organization has only one of. */
export function useFirstConstants(
  kind: Kind,
  used: ReadonlySet<string>,
  constants: Constants,
  set: (constants: Record<string, string>) => void,
): void {
  const { application } = useImportAddress();
  const references = useReferences(kind);
  const isDone = useRef(false);
  const isLoaded = references.every(({ records }) => records !== null);
  useEffect(() => {
    if (!isLoaded || isDone.current) return;
    isDone.current = true;
    const found = references.flatMap(({ field, records }) => {
      const named = field === 'application' ? records!.find(({ id }) => id === application) : undefined;
      const only = records!.length === 1 ? records![0] : undefined;
      const first = named ?? only;
      return first && !used.has(field) && !constants[field] ? [[field, first.id] as const] : [];
    });
    if (found.length > 0) set({ ...constants, ...Object.fromEntries(found) });
  });
}
