import { Alert, Stack } from '@mantine/core';
import { IconDatabaseX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { query } from '../api/queries.ts';

const minuteMs = 60_000;

/** Shows administrators on every page that stored data is damaged, and what to do; hidden while it is intact. */
export function IntegrityAlert() {
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'integrity'],
    queryFn: () => api.integrity.get.isOffered(),
    staleTime: Infinity,
  });
  // The check runs some time after the start of the server.
  const { data } = useQuery({ ...query('integrity', 'get', {}), enabled: isOffered, refetchInterval: minuteMs });
  if (!data || data.findings.length === 0) return null;
  return (
    <Alert color="red" icon={<IconDatabaseX />} title="Stored data is damaged" role="alert" mb="md">
      <Stack gap="xs">
        {data.advice}
        <details>
          <summary>What was found</summary>
          <ul>
            {data.findings.map((finding) => (
              <li key={finding}>{finding}</li>
            ))}
          </ul>
        </details>
      </Stack>
    </Alert>
  );
}
