import { useParams } from '@tanstack/react-router';
import { type Resource, resources } from '../../resources.ts';

type IDName = `${Resource}ID` | 'multicastGroupID' | 'devEUI' | 'kind';

const names: IDName[] = [
  ...(Object.keys(resources) as Resource[]).map((resource) => `${resource}ID` as const),
  'multicastGroupID',
  'devEUI',
  'kind',
];

/** Route parameters by name. */
export type IDs = Readonly<Record<IDName, string>>;

/**
 * The ids in the URL of the current screen, and the kind of integration; parameters that the URL does not have are
 * empty strings.
 */
export function useIDs(): IDs {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  return Object.fromEntries(names.map((name) => [name, params[name] ?? ''])) as IDs;
}
