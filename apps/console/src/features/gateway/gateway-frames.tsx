import { Stack, Text } from '@mantine/core';
import { FrameFilters } from '../../components/frame-log/frame-filters.tsx';
import { frameKind } from '../../components/frame-log/frame-kind.ts';
import { useFrameFilter } from '../../components/frame-log/use-frame-filter.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';

export function GatewayFrames() {
  const { gatewayID } = useIDs();
  const { matches, clear, ...filter } = useFrameFilter();
  return (
    <LiveLog
      key={gatewayID}
      kind={frameKind}
      source={{ path: `/api/gateways/${gatewayID}/frames`, matches: clear && matches }}
      filters={<FrameFilters {...filter} clear={clear} />}
      onClearFilters={clear}
      fileName={`gateway-${gatewayID}.json`}
      helpTitle="Live LoRaWAN frames"
      help={
        <Stack gap="xs">
          <Text>The LoRaWAN frames that this gateway received and sent. Payloads are encrypted.</Text>
          <Text>
            Use them to check whether the gateway receives a device. The events that your application receives are on
            the Device data tab of the device.
          </Text>
        </Stack>
      }
    />
  );
}
