import type { Operations, ResponseOf } from '@hilltop/contract';
import { Button, Title } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { Status } from '../../components/status/status.tsx';

type Certificate = ResponseOf<Operations['mqtt']['listCertificates']>['result'][number];

/** The certificates of an application, without their keys, and an end to those that got into wrong hands. */
export function MQTTCertificates({ applicationID }: { applicationID: string }) {
  const [ending, setEnding] = useState<Certificate | null>(null);
  return (
    <section aria-labelledby="certificates">
      <Title order={2} id="certificates" mb="xs">
        Certificates
      </Title>
      <ResourceList
        label="Certificates"
        query={({ limit, offset }) => query('mqtt', 'listCertificates', { applicationID, limit, offset })}
        rowKey={({ serial }) => serial}
        columns={[
          {
            header: 'Serial number',
            primary: true,
            cell: ({ serial }) => <span className="identifier">{serial}</span>,
          },
          { header: 'Issued', cell: ({ issuedAt }) => <LongDate at={issuedAt} /> },
          { header: 'Expires', cell: ({ expiresAt }) => <LongDate at={expiresAt} /> },
          {
            header: 'State',
            cell: ({ revokedAt }) =>
              revokedAt ? <Status tone="inactive">Revoked</Status> : <Status tone="active">Good</Status>,
          },
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
        empty={{
          icon: <IconCertificate size={32} />,
          title: 'No certificates yet',
          text: 'Each certificate made above is listed here, without its key.',
        }}
      />
      <ConfirmDialog
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title="Revoke?"
        question="Are you sure you want to revoke this certificate? Programs connected with it are disconnected at once and cannot connect again."
        name={ending?.serial ?? ''}
        action="Revoke"
        onConfirm={() =>
          perform(api.mqtt.revokeCertificate({ applicationID, serial: ending?.serial ?? '' }), {
            changed: ['mqtt'],
            done: 'certificate has been revoked',
          })
        }
      />
    </section>
  );
}
