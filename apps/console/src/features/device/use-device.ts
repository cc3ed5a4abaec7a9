import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { query, type Read } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';

const refreshMs = 30_000;
/** Queue items of a listening device are sent within seconds. */
export const queueRefreshMs = 3000;

export const deviceOf = (devEUI: string) => query('device', 'get', { devEUI, include: 'state' });

/** The device of the URL, with a fresh last-seen time. */
export const useDevice = () => useDeviceOf(useIDs().devEUI);

/** A device by its EUI, with a fresh last-seen time. */
export function useDeviceOf(devEUI: string, refetchInterval = refreshMs) {
  return useQuery({ ...deviceOf(devEUI), refetchInterval });
}

/** The device-profile of a device; disabled until its id is known. */
export function useProfileOf(deviceProfileID: string | undefined) {
  return useQuery({
    ...query('deviceProfile', 'get', { id: deviceProfileID ?? '' }),
    enabled: deviceProfileID !== undefined,
  });
}

/** A device and its profile, for screens that depend on what the profile supports. */
export function useDeviceAndProfile() {
  const device = useDevice();
  const profile = useProfileOf(device.data?.device.deviceProfileID);
  return { device, profile };
}

/** How the device of the URL can be reached; refetched while downlinks are queued. */
export function useListening(isWaiting: boolean) {
  const { devEUI } = useIDs();
  const refetchInterval = isWaiting ? queueRefreshMs : refreshMs;
  return useQuery({ ...query('listening', 'get', { devEUI }), staleTime: 0, refetchInterval });
}

/** A read of an optional object: "not found" is the result null, not an error. */
export function orNone<Answer>(read: Read<Answer>): Read<Answer | null> {
  return {
    ...read,
    queryFn: async (context) => {
      try {
        return await read.queryFn(context);
      } catch (error) {
        if (error instanceof ApiError && error.code === 5) return null;
        throw error;
      }
    },
  };
}

/** The session of a device, or null. Every frame changes it, so each screen refetches it. */
export function useActivation() {
  const { devEUI } = useIDs();
  return useQuery({ ...orNone(query('device', 'getActivation', { devEUI })), staleTime: 0, gcTime: 0 });
}
