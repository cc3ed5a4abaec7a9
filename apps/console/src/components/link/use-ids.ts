import { useParams } from '@tanstack/react-router';

const names = [
  'organizationID',
  'networkServerID',
  'serviceProfileID',
  'deviceProfileID',
  'gatewayID',
  'gatewayProfileID',
  'applicationID',
  'devEUI',
  'userID',
] as const;

/** The ids in the address of the current screen; an id that is not in the address is an empty string. */
export function useIDs(): Record<(typeof names)[number], string> {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  return Object.fromEntries(names.map((name) => [name, params[name] ?? ''])) as Record<(typeof names)[number], string>;
}
