import type { MQTTAccess as Known } from '@hilltop/contract';
import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { GenerateCertificate } from '../../components/certificate/generate-certificate.tsx';
import { CopyButton } from '../../components/copy/copy.tsx';
import { Facts } from '../../components/facts/facts.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import classes from './integration.module.css';
import { MQTTCertificates } from './mqtt-certificates.tsx';
import { MQTTClients } from './mqtt-clients.tsx';

/** How programs connect by MQTT: address, certificate, and the connected clients. */
export function MQTTAccess() {
  const { organizationID, applicationID } = useIDs();
  const application = useQuery(query('application', 'get', { id: applicationID }));
  return (
    <Loaded isPage query={application}>
      {({ application: { name } }) => (
        <>
          <PageHeader
            crumbs={[
              { label: name, to: paths.application.one(organizationID, applicationID) },
              { label: 'Integrations', to: paths.integrations(organizationID, applicationID) },
            ]}
            title="MQTT"
          />
          <Access applicationID={applicationID} />
        </>
      )}
    </Loaded>
  );
}

function NewCertificate({ applicationID }: { applicationID: string }) {
  return (
    <Paper component="section" p="md">
      <Stack>
        <Title order={2}>Certificate</Title>
        <Text>
          A program that connects over TLS authenticates with a client certificate of the application. The certificate
          and its key are shown once: save them before you leave the page.
        </Text>
        <GenerateCertificate
          generate={() =>
            perform(api.application.generateMQTTIntegrationClientCertificate({ applicationID }), { changed: ['mqtt'] })
          }
        />
      </Stack>
    </Paper>
  );
}

function Access({ applicationID }: { applicationID: string }) {
  return (
    <Loaded query={useQuery(query('mqtt', 'get', { applicationID }))}>
      {(access) =>
        access.broker === 'NONE' ? (
          <Paper>
            <EmptyState icon={<IconPlugConnectedX size={32} />} title="MQTT is switched off">
              MQTT is disabled on this server. The operator can enable it.
            </EmptyState>
          </Paper>
        ) : (
          <Stack gap="md">
            {access.hasCertificates && <NewCertificate applicationID={applicationID} />}
            <Connecting access={access} />
            <MQTTClients applicationID={applicationID} />
            {access.hasCertificates && <MQTTCertificates applicationID={applicationID} />}
          </Stack>
        )
      }
    </Loaded>
  );
}

const transports = { TLS: 'TLS', TCP: 'Not encrypted', WEBSOCKET: 'Websocket' } as const;

function Connecting({ access }: { access: Known }) {
  const { addresses, eventTopic, commandTopic, subscribeLine, keyLine } = access;
  return (
    <Paper component="section" p="md">
      <Stack>
        <Title order={2}>Connect</Title>
        <Facts
          facts={[
            ...addresses.map(({ transport, url }) => [transports[transport], <Word key={url} text={url} />] as const),
            ['Topic of events', <Word key="events" text={eventTopic} />],
            ['Topic of downlinks', <Word key="commands" text={commandTopic} />],
          ]}
        />
        {subscribeLine && <Line title="Subscribe to all events with a certificate" text={subscribeLine} />}
        {keyLine && <Line title="Subscribe to all events with an API key of the application" text={keyLine} />}
      </Stack>
    </Paper>
  );
}

function Line({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text fw={500}>{title}</Text>
        <CopyButton value={text} label={`Copy: ${title}`} />
      </Group>
      <pre className={classes.line}>{text}</pre>
    </div>
  );
}

/** Text to copy; it wraps on narrow screens. */
function Word({ text }: { text: string }) {
  return (
    <span className={classes.word}>
      <code>{text}</code>
      <CopyButton value={text} label={`Copy ${text}`} />
    </span>
  );
}
