import type { Session } from '@hilltop/contract';
import { Button, Group } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { Status } from '../../components/status/status.tsx';
import { agentName } from './agent-name.ts';

export function OwnSessions() {
  return <SessionList />;
}

/** The sessions of oneself or, for administrators, of another user, each with a button that ends it. */
export function SessionList({ userID }: { userID?: string }) {
  const [ending, setEnding] = useState<Session | 'others' | null>(null);
  const one = ending === 'others' ? null : ending;
  return (
    <>
      <Group justify="flex-end" mb="xs">
        <Button variant="default" onClick={() => setEnding('others')}>
          {userID === undefined ? 'End all others' : 'End all sessions'}
        </Button>
      </Group>
      <ResourceList
        label="Sessions"
        query={(page) => sessionsOf(userID, page)}
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
          perform(endOne(userID, one?.id ?? ''), { changed: ['session'], done: 'session has been ended' })
        }
      />
      <ConfirmDialog
        opened={ending === 'others'}
        onClose={() => setEnding(null)}
        {...(userID === undefined ? endOthers : endAll)}
        onConfirm={() =>
          perform(userID === undefined ? api.session.endOthers({}) : api.session.endAllOfUser({ userID }), {
            changed: ['session'],
            done: userID === undefined ? 'all other sessions have been ended' : 'all sessions have been ended',
          })
        }
      />
    </>
  );
}

const endOthers = {
  title: 'End all other sessions?',
  question: 'Every other browser and program is signed out immediately. This session continues.',
  action: 'End all others',
};
const endAll = {
  title: 'End all sessions of this user?',
  question: 'Every browser and program of the user is signed out immediately.',
  action: 'End all sessions',
};

function sessionsOf(userID: string | undefined, { limit, offset }: { limit: number; offset: number }) {
  if (userID === undefined) return query('session', 'list', { limit, offset });
  return query('session', 'listOfUser', { userID, limit, offset });
}

function endOne(userID: string | undefined, id: string) {
  return userID === undefined ? api.session.end({ id }) : api.session.endOfUser({ userID, id });
}

/** Several sessions may use the same browser. */
function nameOf({ agent, address }: Session): string {
  return address === '' ? agentName(agent) : `${agentName(agent)}, ${address}`;
}
