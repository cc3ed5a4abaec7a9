import type { ClientCertificate } from '@hilltop/contract';
import { Button, Title } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useState } from 'react';
import type { Read } from '../../api/queries.ts';
import { ConfirmDialog } from '../confirm/confirm-dialog.tsx';
import { LastSeen } from '../last-seen/last-seen.tsx';
import { LongDate } from '../last-seen/long-date.tsx';
import { ResourceList } from '../list/resource-list.tsx';
import type { ListPage } from '../list/use-list-page.ts';
import { Status } from '../status/status.tsx';

interface Props {
  query: (page: Pick<ListPage<never>, 'limit' | 'offset'>) => Read<{
    result: readonly ClientCertificate[];
    totalCount: string;
  }>;
  revoke: (serial: string) => Promise<unknown>;
  /** The users of the certificates, as the start of a sentence: "Programs". */
  users: string;
  /** Text for an empty list. */
  empty: string;
}

/** Issued certificates, without their keys, each with a button that revokes it. */
export function CertificateList({ query, revoke, users, empty }: Props) {
  const [ending, setEnding] = useState<ClientCertificate | null>(null);
  return (
    <section aria-labelledby="certificates">
      <Title order={2} id="certificates" mb="xs">
        Certificates
      </Title>
      <ResourceList
        label="Certificates"
        query={({ limit, offset }) => query({ limit, offset })}
        rowKey={({ serial }) => serial}
        columns={[
          {
            header: 'Serial number',
            primary: true,
            cell: ({ serial }) => <span className="identifier">{serial}</span>,
          },
          { header: 'Issued', fit: true, card: 'folded', cell: ({ issuedAt }) => <LongDate at={issuedAt} /> },
          { header: 'Expires', fit: true, cell: ({ expiresAt }) => <LongDate at={expiresAt} /> },
          { header: 'Last used', width: 120, cell: ({ lastUsedAt }) => <LastSeen at={lastUsedAt} /> },
          { header: 'State', fit: true, card: 'aside', cell: (one) => <State of={one} /> },
          {
            header: 'Revoke',
            hideHeader: true,
            align: 'right',
            width: 90,
            cell: (one) =>
              !one.revokedAt && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Revoke certificate ${one.serial}`}
                  onClick={() => setEnding(one)}
                >
                  Revoke
                </Button>
              ),
          },
        ]}
        empty={{ icon: <IconCertificate size={32} />, title: 'No certificates yet', text: empty }}
      />
      <ConfirmDialog
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title="Revoke?"
        question={`Are you sure you want to revoke this certificate? ${users} that use it are disconnected immediately and cannot connect with it again.`}
        name={ending?.serial ?? ''}
        action="Revoke"
        onConfirm={() => revoke(ending?.serial ?? '')}
      />
    </section>
  );
}

function State({ of: { revokedAt, expiresAt } }: { of: ClientCertificate }) {
  const [openedAt] = useState(Date.now);
  if (revokedAt) return <Status tone="inactive">Revoked</Status>;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= openedAt;
  return isOver ? <Status tone="inactive">Expired</Status> : <Status tone="active">Good</Status>;
}
