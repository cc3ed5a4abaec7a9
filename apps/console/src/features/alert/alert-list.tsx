import { type Alert, type AlertStateName, alertDays, alertStates } from '@hilltop/contract';
import { Button, Group, Modal, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { AlertHeader } from './alert-header.tsx';
import { conditionLabel, stateWords, subjectPath } from './alert-words.ts';

/** The alerts of an organization: what fires first, then the history. */
export function AlertList() {
  const { organizationID } = useIDs();
  const [state, setState] = useState<AlertStateName | ''>('');
  const [acknowledging, setAcknowledging] = useState<Alert | null>(null);
  const mayAcknowledge = useMay()('alert.acknowledge');
  return (
    <>
      <AlertHeader />
      <ResourceList
        label="Alerts"
        refreshMs={10_000}
        query={({ limit, offset }) => query('alert', 'list', { organizationID, state, limit, offset })}
        rowKey={({ id }) => id}
        columns={columnsOf(organizationID, mayAcknowledge ? setAcknowledging : undefined)}
        isFiltered={state !== ''}
        toolbar={
          <NativeSelect
            aria-label="State"
            value={state}
            onChange={(event) => setState(event.currentTarget.value as AlertStateName | '')}
            data={[
              { value: '', label: 'All states' },
              ...alertStates.map((name) => ({ value: name, label: capital(stateWords[name].word) })),
            ]}
          />
        }
        empty={{
          icon: <IconBell size={32} />,
          title: state === '' ? `No alerts in the last ${alertDays} days` : `No alert is ${stateWords[state].word}`,
          text: 'A rule begins an alert when a condition or a value stays wrong, and notifies its receivers.',
          action: (
            <LinkButton to={paths.alertRules(organizationID)} variant="default">
              Show rules
            </LinkButton>
          ),
        }}
      />
      {acknowledging && <AcknowledgeDialog alert={acknowledging} onClose={() => setAcknowledging(null)} />}
    </>
  );
}

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

function columnsOf(organizationID: string, acknowledge: ((alert: Alert) => void) | undefined): Column<Alert, never>[] {
  return [
    {
      header: 'State',
      width: 130,
      card: 'plain',
      cell: ({ state }) => <Status tone={stateWords[state].tone}>{stateWords[state].word}</Status>,
    },
    {
      header: 'Subject',
      primary: true,
      share: 2,
      cell: (alert) => <Subject organizationID={organizationID} alert={alert} />,
    },
    {
      header: 'Rule',
      card: 'plain',
      share: 2,
      cell: ({ ruleID, ruleName, condition }) => (
        <AppLink to={paths.alertRule(organizationID, ruleID)} title={conditionLabel(condition)}>
          {ruleName}
        </AppLink>
      ),
    },
    { header: 'Since', width: 120, card: 'plain', cell: ({ since }) => <LastSeen at={since} /> },
    {
      header: 'Resolved',
      width: 120,
      card: 'folded',
      cell: ({ resolvedAt }) => (resolvedAt === null ? '–' : <LastSeen at={resolvedAt} />),
    },
    {
      header: 'Acknowledged',
      card: 'folded',
      cell: ({ acknowledgedBy, note }) => {
        const text = [acknowledgedBy, note].filter((part) => part !== '').join(': ');
        return <span title={text}>{text || '–'}</span>;
      },
    },
    {
      header: 'Acknowledge',
      hideHeader: true,
      align: 'right',
      width: 130,
      cell: (alert) =>
        alert.state === 'FIRING' &&
        acknowledge && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Acknowledge ${alert.subjectName || alert.subjectID}`}
            onClick={() => acknowledge(alert)}
          >
            Acknowledge
          </Button>
        ),
    },
  ];
}

function Subject({ organizationID, alert }: { organizationID: string; alert: Alert }) {
  const to = subjectPath(organizationID, alert);
  const name = alert.subjectName || alert.subjectID;
  const text = alert.value === null ? name : `${name}: ${alert.value.value}`;
  return to === undefined ? <span>{text}</span> : <AppLink to={to}>{text}</AppLink>;
}

function AcknowledgeDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const [note, setNote] = useState('');
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  async function acknowledge() {
    setPending(true);
    try {
      await perform(api.alert.acknowledge({ id: alert.id, note }), {
        changed: ['alert', 'alertRule'],
        done: 'alert has been acknowledged',
      });
      onClose();
    } catch (error) {
      setFailure(error);
      setPending(false);
    }
  }
  return (
    <Modal opened onClose={onClose} title={`Acknowledge ${alert.subjectName || alert.subjectID}?`}>
      <Stack>
        <Text>The alert is not repeated any more. When it resolves, its receivers are still notified.</Text>
        <Textarea
          label="Note"
          description="All members of the organization can read it."
          maxLength={500}
          data-autofocus
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <InlineError error={failure} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isPending} onClick={() => void acknowledge()}>
            Acknowledge
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
