import { Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';
import { eventKindWith } from './event-kind.ts';
import { useDeliveryChips } from './use-delivery-chips.ts';
import { useKnownEvents } from './use-last-events.tsx';
import { useQuantities } from './use-quantities.ts';

export function DeviceData() {
  const { devEUI } = useIDs();
  const { event }: { event?: string } = useSearch({ strict: false });
  const deliveryChips = useDeliveryChips(devEUI);
  const quantitiesOf = useQuantities(devEUI, useKnownEvents().decoded);
  const kind = useMemo(() => eventKindWith(quantitiesOf), [quantitiesOf]);
  return (
    <LiveLog
      key={devEUI}
      kind={kind}
      moreOf={deliveryChips}
      shown={event}
      path={`/api/devices/${devEUI}/events`}
      fileName={`device-${devEUI}.json`}
      helpTitle="Device data"
      help={
        <Stack gap="xs">
          <Text>
            The events of this device as integrations receive them in JSON: uplinks with their decoded object, joins,
            acknowledgements, device status and errors. Identifiers, which are base64 in the JSON, are shown as hex.
          </Text>
          <Text>
            The payload itself (data) stays base64. While the log is paused, new events are counted but not shown.
          </Text>
        </Stack>
      }
    />
  );
}
