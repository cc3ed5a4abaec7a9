import { matchesHistory } from '@hilltop/contract';
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { startDownload } from '../../components/download/start-download.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';
import { EventFilters } from './event-filters.tsx';
import { eventHistory } from './event-history.ts';
import { type EventItem, eventKindWith } from './event-kind.ts';
import { downloadsOf, linkToRow, useShownRow } from './stored-log.ts';
import { useDeliveryChips } from './use-delivery-chips.ts';
import { useEventFilter } from './use-event-filter.ts';
import { useKnownEvents } from './use-last-events.tsx';
import { useQuantities } from './use-quantities.ts';

const linkOf = ({ streamID }: EventItem): string => linkToRow(streamID);

export function DeviceData() {
  const { devEUI } = useIDs();
  const { event, showNewest } = useShownRow();
  const deliveryChips = useDeliveryChips(devEUI);
  const quantitiesOf = useQuantities(devEUI, useKnownEvents().decoded);
  const kind = useMemo(() => eventKindWith(quantitiesOf), [quantitiesOf]);
  const eventFilter = useEventFilter();
  const { filter, clear } = eventFilter;
  const source = useMemo(() => {
    const matches = matchesHistory(filter);
    return {
      path: `/api/devices/${devEUI}/events`,
      history: eventHistory(devEUI, filter, event),
      matches: ({ streamID, type, payloadJSON }: EventItem) =>
        matches({ streamID, kind: type, payloadJSON, noteJSON: '' }),
    };
  }, [devEUI, filter, event]);
  return (
    <LiveLog
      key={devEUI}
      kind={kind}
      source={source}
      filters={<EventFilters {...eventFilter} />}
      onClearFilters={clear}
      moreOf={deliveryChips}
      linkOf={linkOf}
      shown={event}
      onShowNewest={showNewest}
      fileName={`device-${devEUI}.json`}
      downloads={[
        ...downloadsOf('HISTORY', devEUI, filter),
        { label: 'Diagnosis of the device (JSON)', start: () => void startDownload('DIAGNOSIS', 'JSON', { devEUI }) },
      ]}
      helpTitle="Device data"
      help={
        <Stack gap="xs">
          <Text>
            The events of this device as integrations receive them in JSON: uplinks with their decoded object, joins,
            acknowledgements, device status and errors. Identifiers, which are base64 in the JSON, are shown as hex.
          </Text>
          <Text>
            The payload itself (data) stays base64 in the JSON; an open row shows its bytes. While the log is paused,
            new events are counted but not shown, and can be loaded. Filters are part of the address of this page.
          </Text>
        </Stack>
      }
    />
  );
}
