import type { CodecVector } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';

/** The test vectors of a device-profile with the changes of this page, which are saved with the profile. */
export interface Vectors {
  list: readonly CodecVector[];
  isChanged: boolean;
  isPending: boolean;
  error: unknown;
  set: (list: readonly CodecVector[]) => void;
  save: (deviceProfileID: string) => Promise<void>;
}

/** `deviceProfileID` is empty for a new device-profile. */
export function useVectors(deviceProfileID: string): Vectors {
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'codecVector'],
    queryFn: () => api.codecVector.list.isOffered(),
    staleTime: Infinity,
  });
  const stored = useQuery({
    ...query('codecVector', 'list', { deviceProfileID }),
    enabled: isOffered && deviceProfileID !== '',
  });
  const [changed, setChanged] = useState<readonly CodecVector[] | null>(null);
  return {
    list: changed ?? stored.data?.vectors ?? [],
    isChanged: changed !== null,
    isPending: deviceProfileID !== '' && isOffered && stored.isPending,
    error: stored.error,
    set: setChanged,
    save: async (id) => {
      if (!changed) return;
      await perform(api.codecVector.replace({ deviceProfileID: id, vectors: [...changed] }), {
        changed: ['codecVector'],
      });
      setChanged(null);
    },
  };
}
