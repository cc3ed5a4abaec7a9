import type { DeliveryAttempt } from '@hilltop/contract';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { type FactList, Facts } from '../../components/facts/facts.tsx';
import { JsonTree } from '../../components/json-tree/json-tree.tsx';
import { formatLogTime } from '../../components/last-seen/dates.ts';
import { parsedJson } from '../../components/live-log/identifiers.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';
import { LogFilters, TextFilter } from '../../components/live-log/log-filters.tsx';
import { SidePanel } from '../../components/side-panel/side-panel.tsx';
import { type Delivered, subjectOf, useDelivered } from './delivered.ts';
import { deliveryKind } from './delivery-kind.ts';
import classes from './integration.module.css';
import { Outcome, outcomes } from './outcome.tsx';
import { SendAgain } from './send-again.tsx';

const outcomeChoices = [
  { value: '', label: 'All outcomes' },
  ...Object.entries(outcomes).map(([value, { word }]) => ({ value, label: word })),
];

/** The live log of delivery attempts. The filter is stored in the URL. */
export function Deliveries() {
  const of = useDelivered();
  const { applicationID, organizationID, kind } = of;
  const { filter, set } = useFilter();
  const [opened, setOpened] = useState<DeliveryAttempt | null>(null);
  const wanted = Object.entries(filter).filter(([, value]) => value !== '');
  const clear = wanted.length > 0 ? () => set({ outcome: '', devEUI: '' }) : undefined;
  const path = `/api/applications/${applicationID}/deliveries/${kind}/live?${new URLSearchParams(
    organizationID ? [...wanted, ['organizationID', organizationID]] : wanted,
  )}`;
  return (
    <Stack gap="sm" className={classes.log ?? ''}>
      <Filter kind={kind} filter={filter} set={set} onClear={clear} />
      <LiveLog
        key={path}
        kind={deliveryKind(kind)}
        onOpen={setOpened}
        source={{ path }}
        onClearFilters={clear}
        fileName={`deliveries-${kind.toLowerCase()}.json`}
        helpTitle="Deliveries"
        help={
          <Stack gap="xs">
            <Text>
              Delivery attempts, newest first: every failure, every change of state, and at least one successful
              delivery per second. The log holds the last 500 lines.
            </Text>
            <Text>Open an attempt to see the response or to send its event again.</Text>
          </Stack>
        }
      />
      <SidePanel opened={opened !== null} onClose={() => setOpened(null)} title="Delivery">
        {opened && <Attempt key={opened.line} attempt={opened} of={of} />}
      </SidePanel>
    </Stack>
  );
}

const isEUI = (text: string): boolean => /^[0-9a-f]{16}$/i.test(text);

interface Looked {
  outcome: string;
  devEUI: string;
}

function useFilter() {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const filter: Looked = {
    outcome: address['outcome'] !== undefined && address['outcome'] in outcomes ? address['outcome'] : '',
    devEUI: isEUI(address['devEUI'] ?? '') ? address['devEUI']! : '',
  };
  const set = (change: Partial<Looked>) => {
    const { outcome, devEUI } = { ...filter, ...change };
    const search = { ...address, outcome: outcome || undefined, devEUI: devEUI || undefined };
    void navigate({ to: '.', replace: true, search });
  };
  return { filter, set };
}

interface FilterProps {
  kind: string;
  filter: Looked;
  set: (change: Partial<Looked>) => void;
  onClear: (() => void) | undefined;
}

function Filter({ kind, filter: { outcome, devEUI }, set, onClear }: FilterProps) {
  const { identifier } = subjectOf(kind);
  return (
    <LogFilters onClear={onClear}>
      <NativeSelect
        size="xs"
        aria-label="Outcome"
        data={outcomeChoices}
        value={outcome}
        onChange={(event) => set({ outcome: event.currentTarget.value })}
      />
      <TextFilter
        label={identifier}
        width={18}
        value={devEUI}
        onChange={(text) => set({ devEUI: text.toLowerCase() })}
        problem={(text) => (text === '' || isEUI(text) ? null : `${identifier} has 16 hexadecimal digits.`)}
      />
    </LogFilters>
  );
}

function Attempt({ attempt, of }: { attempt: DeliveryAttempt; of: Delivered }) {
  const { at, outcome, eventID, message, excerpt } = attempt;
  return (
    <Stack>
      <Facts
        facts={[
          ['Time', at && formatLogTime(at)],
          ['Outcome', <Outcome key="outcome" of={outcome} />],
          ['What happened', message],
          ...(outcome === 'STATE' ? [] : sentFacts(attempt, of.kind)),
        ]}
      />
      {excerpt && (
        <div>
          <b>Answer</b>
          <pre className={classes.line}>{excerpt}</pre>
        </div>
      )}
      {eventID && outcome !== 'TEST' && <Event of={of} eventID={eventID} />}
      {eventID && outcome !== 'TEST' && <SendAgain of={of} eventID={eventID} />}
    </Stack>
  );
}

const sentFacts = (
  { eventType, devEUI, eventID, status, milliseconds, attempt, bytes }: DeliveryAttempt,
  kind: string,
): FactList => [
  ['Event', eventType],
  [subjectOf(kind).record, devEUI && <code key="device">{devEUI}</code>],
  ['Event ID', eventID && <code key="id">{eventID}</code>],
  ['Status', status || 'No response'],
  ['Took', `${milliseconds} ms`],
  ['Try', attempt],
  ['Sent', `${bytes} B`],
];

/** The event of an attempt; the integration sends it in its own format. Empty after the event log has dropped it. */
function Event({ of, eventID }: { of: Delivered; eventID: string }) {
  const { data } = useQuery({
    queryKey: ['delivery', 'event', of, eventID],
    queryFn: async (context) =>
      (await api.delivery.event.isOffered()) ? query('delivery', 'event', { ...of, eventID }).queryFn(context) : null,
    staleTime: Infinity,
  });
  return data && <JsonTree value={parsedJson(data.payloadJSON)} label="Event" />;
}
