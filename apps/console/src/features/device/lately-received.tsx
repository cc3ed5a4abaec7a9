import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { useMay } from '../../session/session.tsx';

const refreshMs = 5_000;
const mostOffered = 4;

/** Unregistered devices that were received lately: a click enters their EUI. */
export function LatelyReceived({ chosen, onChoose }: { chosen: string; onChoose: (devEUI: string) => void }) {
  const { organizationID } = useIDs();
  const may = useMay()('unknownDevice.list');
  const isOffered = useOffered('unknownDevice', 'list');
  const { data } = useQuery({
    ...query('unknownDevice', 'list', { organizationID, limit: mostOffered, offset: 0 }),
    enabled: may && isOffered,
    refetchInterval: refreshMs,
    staleTime: 0,
  });
  // Ordered by EUI: no button moves while a user is about to press it.
  const devices = (data?.result ?? []).toSorted((one, other) => (one.devEUI < other.devEUI ? -1 : 1));
  // It keeps its place without devices, so that the field below does not move when one is received.
  if (!may || !isOffered) return null;
  return (
    <section aria-label="Received lately, not registered">
      <Text size="sm" c="dimmed" mb={4}>
        {devices.length > 0
          ? 'Received lately, not registered:'
          : 'Turn the device on: its EUI appears here when a gateway receives it.'}
      </Text>
      <Group gap="xs" mih={26}>
        {devices.map(({ devEUI, lastAt }) => (
          <Button
            key={devEUI}
            size="compact-sm"
            variant="default"
            aria-pressed={devEUI === chosen}
            onClick={() => onChoose(devEUI)}
          >
            <span className="identifier">{devEUI}</span>&nbsp;
            <LastSeen at={lastAt} />
          </Button>
        ))}
      </Group>
    </section>
  );
}
