import type { Invitation } from '@hilltop/contract';
import { Button, Group, Modal, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { roleOf } from '../../components/member-role/member-role.ts';
import { ErrorState } from '../../components/states/states.tsx';
import { Status } from '../../components/status/status.tsx';
import { toast } from '../../components/toast/toast.ts';
import { InvitationLink, type SentInvitation } from './invitation-link.tsx';

/** More than an organization can have open; expired ones follow. */
const shown = 500;

/** The invitations that nobody has accepted yet. Nothing while there are none. */
export default function OpenInvitations({ organizationID }: { organizationID: string }) {
  const [sent, setSent] = useState<SentInvitation | null>(null);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const found = useQuery(query('invitation', 'list', { organizationID, limit: shown }));
  const { data: mail } = useQuery(query('mail', 'get', {}));
  const canMail = mail?.isSetUp === true && mail.canConfirm;

  async function renew({ id, email }: Invitation, isMailed: boolean) {
    try {
      const call = api.invitation.renew({ organizationID, id, isMailed });
      const { link, mailProblem } = await perform(call, {
        changed: ['invitation'],
        ...(isMailed && { done: 'invitation has been sent' }),
      });
      if (link !== '') setSent({ email, link, mailProblem });
    } catch (error) {
      toast.error(explain(error));
    }
  }

  if (found.error) return <ErrorState error={found.error} retry={() => void found.refetch()} />;
  const rows = found.data?.result ?? [];
  return (
    <>
      {rows.length > 0 && (
        <Paper component="section" aria-labelledby="open-invitations" p={0} mt="md">
          <Title order={2} size="h3" id="open-invitations" p="md">
            Open invitations
          </Title>
          <DataTable
            label="Open invitations"
            columns={columnsOf({ canMail, onRenew: renew, onRevoke: setRevoking })}
            rows={rows}
            rowKey={({ id }) => id}
          />
        </Paper>
      )}
      <Modal opened={sent !== null} onClose={() => setSent(null)} title="Invitation link">
        {sent && <InvitationLink {...sent} onDone={() => setSent(null)} />}
      </Modal>
      <ConfirmDialog
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title="Revoke this invitation?"
        question="Its link stops working immediately."
        name={revoking?.email ?? ''}
        action="Revoke"
        onConfirm={() =>
          perform(api.invitation.delete({ organizationID, id: revoking?.id ?? '' }), {
            changed: ['invitation'],
            done: 'invitation has been revoked',
          })
        }
      />
    </>
  );
}

interface Actions {
  canMail: boolean;
  onRenew: (invitation: Invitation, isMailed: boolean) => Promise<void>;
  onRevoke: (invitation: Invitation) => void;
}

const columnsOf = ({ canMail, onRenew, onRevoke }: Actions): Column<Invitation>[] => [
  { header: 'Email', primary: true, cell: ({ email }) => email },
  { header: 'Role', card: 'plain', cell: roleOf },
  { header: 'Invited by', card: 'folded', cell: ({ invitedBy }) => invitedBy },
  {
    header: 'Expires',
    fit: true,
    cell: ({ isExpired, expiresAt }) =>
      isExpired ? <Status tone="inactive">Expired</Status> : <LongDate at={expiresAt} />,
  },
  {
    header: 'Actions',
    hideHeader: true,
    fit: true,
    card: 'plain',
    cell: (invitation) => (
      <Group gap="xs" wrap="nowrap">
        {canMail && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Send the invitation of ${invitation.email} again`}
            onClick={() => void onRenew(invitation, true)}
          >
            Send again
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Create a new link for ${invitation.email}`}
          onClick={() => void onRenew(invitation, false)}
        >
          New link
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Revoke the invitation of ${invitation.email}`}
          onClick={() => onRevoke(invitation)}
        >
          Revoke
        </Button>
      </Group>
    ),
  },
];
