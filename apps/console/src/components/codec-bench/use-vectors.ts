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

/** `deviceProfileID` is empty for a new device-profile; a copy begins with the vectors of `original`. */
export function useVectors(deviceProfileID: string, original = ''): Vectors {
  const source = deviceProfileID || original;
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'codecVector'],
    queryFn: () => api.codecVector.list.isOffered(),
    staleTime: Infinity,
  });
  const stored = useQuery({
    ...query('codecVector', 'list', { deviceProfileID: source }),
    enabled: isOffered && source !== '',
  });
  const [changed, setChanged] = useState<readonly CodecVector[] | null>(null);
  return {
    list: changed ?? stored.data?.vectors ?? [],
    isChanged: changed !== null,
    isPending: source !== '' && isOffered && stored.isPending,
    error: stored.error,
    set: setChanged,
    save: async (id) => {
      const copied = source === deviceProfileID ? undefined : stored.data?.vectors;
      const vectors = changed ?? copied ?? [];
      if (!changed && vectors.length === 0) return;
      await perform(api.codecVector.replace({ deviceProfileID: id, vectors: [...vectors] }), {
        changed: ['codecVector'],
      });
      setChanged(null);
    },
  };
}
