import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ApiError, api } from '../api/client.ts';
import { query } from '../api/queries.ts';

/** Poll intervals: normal, and while a dependency is unreachable. */
const pollMs = { normal: 15_000, outage: 5_000 };

const words = {
  DATABASE: {
    title: 'The database does not respond',
    text: 'Pages may show older data, and changes cannot be saved. Hilltop reconnects automatically.',
  },
  REDIS: {
    title: 'Redis does not respond',
    text: 'Instances cannot exchange messages: uplinks may arrive some seconds late, live pages show the events of one instance only, and changes reach the other instances after some seconds. Hilltop reconnects automatically.',
  },
} as const;

/** Shows on every page which dependency the server cannot reach. */
export function OutageAlert() {
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'instance'],
    queryFn: () => api.instance.getSurroundings.isOffered(),
    staleTime: Infinity,
  });
  const { data, error } = useQuery({
    ...query('instance', 'getSurroundings', {}),
    enabled: isOffered,
    retry: false,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.error || (state.data && state.data.away.length > 0) ? pollMs.outage : pollMs.normal,
  });
  const isSilent = error instanceof ApiError && error.reason === 'DATABASE_BUSY';
  const away = isSilent ? (['DATABASE'] as const) : (data?.away ?? []);
  return away.map((one) => (
    <Alert key={one} color="yellow" icon={<IconPlugConnectedX />} title={words[one].title} role="alert" mb="md">
      {words[one].text}
    </Alert>
  ));
}
