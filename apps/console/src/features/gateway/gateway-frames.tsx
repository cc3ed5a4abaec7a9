import { Stack, Text } from '@mantine/core';
import { frameKind } from '../../components/frame-log/frame-kind.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';

export function GatewayFrames() {
  const { gatewayID } = useIDs();
  return (
    <LiveLog
      key={gatewayID}
      kind={frameKind}
      path={`/api/gateways/${gatewayID}/frames`}
      fileName={`gateway-${gatewayID}.json`}
      helpTitle="Live LoRaWAN frames"
      help={
        <Stack gap="xs">
          <Text>The LoRaWAN frames this gateway received and sent, as they were on air: payloads are encrypted.</Text>
          <Text>
            Use them to find out whether a device is heard at all. What your application gets from a device is under
            Device data on the page of the device.
          </Text>
        </Stack>
      }
    />
  );
}
