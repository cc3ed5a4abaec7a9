import { useParams } from '@tanstack/react-router';
import { ofEverything, ofOrganizations, type Resource } from '../../paths.ts';

type IDName = `${Resource}ID` | 'multicastGroupID' | 'devEUI' | 'kind';

const resources = Object.keys({ ...ofEverything, ...ofOrganizations }) as Resource[];
const names: IDName[] = [
  ...resources.map((resource) => `${resource}ID` as const),
  'multicastGroupID',
  'devEUI',
  'kind',
];

/** The ids in the address of the current screen, and the kind of integration; what is not in it is an empty string. */
export function useIDs(): Record<IDName, string> {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  return Object.fromEntries(names.map((name) => [name, params[name] ?? ''])) as Record<IDName, string>;
}
