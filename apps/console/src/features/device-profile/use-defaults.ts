import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { query } from '../../api/queries.ts';
import type { MessageFormState } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { type DeviceProfileValues, emptyDeviceProfile, toValues } from './device-profile-values.ts';

/** The fields whose defaults come from the network-server. All other fields depend on the device. */
const known = [
  'adrAlgorithmID',
  'maxEIRP',
  'rxDelay1',
  'rxDataRate2',
  'rxFreq2',
  'factoryPresetFreqs',
  'pingSlotDR',
  'pingSlotFreq',
] as const;

/**
 * Fills a new device-profile with the defaults of its network-server, except for fields that the user has edited. Until
 * one is selected, uses the first network-server of the organization.
 */
export function useDefaults(form: MessageFormState<DeviceProfileValues>, isNew: boolean): void {
  const { organizationID } = useIDs();
  const offered = useQuery({
    ...query('networkServer', 'list', { organizationID, limit: 999, offset: 0 }),
    enabled: isNew,
  });
  const networkServerID = form.values.networkServerID || (offered.data?.result[0]?.id ?? '');
  const { data } = useQuery({
    ...query('profileDefaults', 'get', { networkServerID }),
    enabled: isNew && networkServerID !== '',
    staleTime: Infinity,
  });
  const latest = useRef(form);
  const before = useRef(toValues(emptyDeviceProfile));
  useLayoutEffect(() => {
    latest.current = form;
  });
  useEffect(() => {
    if (!data) return;
    const usual = toValues(data.deviceProfile);
    for (const name of known)
      if (latest.current.values[name] === before.current[name]) latest.current.preset(name, usual[name]);
    before.current = usual;
  }, [data]);
}
