import { Stack, Text } from '@mantine/core';
import { frameKind } from '../../components/frame-log/frame-kind.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';

export function DeviceFrames() {
  const { devEUI } = useIDs();
  return (
    <LiveLog
      key={devEUI}
      kind={frameKind}
      path={`/api/devices/${devEUI}/frames`}
      fileName={`device-${devEUI}.json`}
      helpTitle="LoRaWAN frames"
      help={
        <Stack gap="xs">
          <Text>
            The LoRaWAN frames of this device as they were on air, for debugging. MAC commands are decrypted and
            decoded; the payload of the application stays encrypted.
          </Text>
          <Text>What the application gets is under Device data.</Text>
        </Stack>
      }
    />
  );
}
