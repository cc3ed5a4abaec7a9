import type { Session } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Status } from '../../components/status/status.tsx';
import { agentName } from './agent-name.ts';

/** The sessions of the user, each with a button that ends it. */
export function SessionList() {
  const [ending, setEnding] = useState<Session | 'others' | null>(null);
  const one = ending === 'others' ? null : ending;
  return (
    <>
      <PageHeader
        title="Sessions"
        actions={
          <Button variant="default" onClick={() => setEnding('others')}>
            End all others
          </Button>
        }
      />
      <ResourceList
        label="Sessions"
        query={({ limit, offset }) => query('session', 'list', { limit, offset })}
        rowKey={({ id }) => id}
        columns={[
          { header: 'Browser', primary: true, cell: ({ agent }) => <span title={agent}>{agentName(agent)}</span> },
          { header: 'Address', card: 'plain', cell: ({ address }) => address || 'Not known' },
          { header: 'Signed in', fit: true, card: 'folded', cell: ({ createdAt }) => <LongDate at={createdAt} /> },
          {
            header: 'Last used',
            width: 120,
            cell: ({ lastUsedAt, isCurrent }) =>
              isCurrent ? <Status tone="active">This one</Status> : <LastSeen at={lastUsedAt} />,
          },
          {
            header: 'End',
            hideHeader: true,
            align: 'right',
            width: 80,
            cell: (session) =>
              !session.isCurrent && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`End the session of ${nameOf(session)}`}
                  onClick={() => setEnding(session)}
                >
                  End
                </Button>
              ),
          },
        ]}
        empty={{
          icon: <IconDevices size={32} />,
          title: 'No sessions',
          text: 'Each browser or program that you sign in with has a session.',
        }}
      />
      <ConfirmDialog
        opened={one !== null}
        onClose={() => setEnding(null)}
        title="End this session?"
        question="It is signed out immediately and loses unsaved input."
        name={one ? nameOf(one) : ''}
        action="End session"
        onConfirm={() =>
          perform(api.session.end({ id: one?.id ?? '' }), { changed: ['session'], done: 'session has been ended' })
        }
      />
      <ConfirmDialog
        opened={ending === 'others'}
        onClose={() => setEnding(null)}
        title="End all other sessions?"
        question="Every other browser and program is signed out immediately. This session continues."
        action="End all others"
        onConfirm={() =>
          perform(api.session.endOthers({}), { changed: ['session'], done: 'all other sessions have been ended' })
        }
      />
    </>
  );
}

/** Several sessions may use the same browser. */
function nameOf({ agent, address }: Session): string {
  return address === '' ? agentName(agent) : `${agentName(agent)}, ${address}`;
}
