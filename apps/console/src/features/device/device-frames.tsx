import { Stack, Text } from '@mantine/core';
import { FrameFilters } from '../../components/frame-log/frame-filters.tsx';
import { frameKind } from '../../components/frame-log/frame-kind.ts';
import { useFrameFilter } from '../../components/frame-log/use-frame-filter.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';

export function DeviceFrames() {
  const { devEUI } = useIDs();
  const filter = useFrameFilter();
  return (
    <LiveLog
      key={devEUI}
      kind={frameKind}
      source={{ path: `/api/devices/${devEUI}/frames`, matches: filter.matches }}
      filters={<FrameFilters {...filter} />}
      onClearFilters={filter.clear}
      fileName={`device-${devEUI}.json`}
      helpTitle="LoRaWAN frames"
      help={
        <Stack gap="xs">
          <Text>
            The LoRaWAN frames of this device as transmitted, for debugging. MAC commands are decrypted and decoded; the
            application payload stays encrypted.
          </Text>
          <Text>The events that the application receives are on the Device data tab.</Text>
        </Stack>
      }
    />
  );
}
