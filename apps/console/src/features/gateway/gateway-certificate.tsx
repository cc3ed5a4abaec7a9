import type { Operations, ResponseOf } from '@hilltop/contract';
import { Alert, Button, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCertificate, IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy/copy.tsx';
import { downloadText } from '../../components/download/download.ts';
import { formatLong } from '../../components/last-seen/dates.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { InlineError } from '../../components/states/states.tsx';

type Certificate = ResponseOf<Operations['gateway']['generateGatewayClientCertificate']>;

export function GatewayCertificate() {
  const { gatewayID } = useIDs();
  const generate = useMutation({
    mutationFn: () => perform(api.gateway.generateGatewayClientCertificate({ gatewayId: gatewayID })),
  });
  return (
    <Paper maw={720}>
      <Stack>
        <Text>
          A gateway that connects over TLS shows who it is with a client certificate. The certificate and its key are
          shown this one time: save them before you leave the page.
        </Text>
        <InlineError error={generate.error} />
        <Group>
          <Button
            leftSection={<IconCertificate size={16} />}
            loading={generate.isPending}
            disabled={generate.data !== undefined}
            onClick={() => generate.mutate()}
          >
            Generate certificate
          </Button>
        </Group>
        {generate.data && <Values certificate={generate.data} />}
      </Stack>
    </Paper>
  );
}

function Values({ certificate }: { certificate: Certificate }) {
  const { expiresAt, caCert, tlsCert, tlsKey } = certificate;
  return (
    <>
      <Alert variant="default" icon={<IconAlertTriangle color="var(--attention)" />}>
        These values cannot be retrieved again.
      </Alert>
      <TextInput label="Expires at" value={expiresAt ? formatLong(expiresAt) : 'Never'} readOnly />
      <Pem label="CA certificate" fileName="ca.pem" text={caCert} />
      <Pem label="TLS certificate" fileName="cert.pem" text={tlsCert} />
      <Pem label="TLS key" fileName="key.pem" text={tlsKey} />
    </>
  );
}

function Pem({ label, fileName, text }: { label: string; fileName: string; text: string }) {
  return (
    <div>
      <Textarea
        label={label}
        description={`Save it as ${fileName}.`}
        rows={10}
        value={text}
        readOnly
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
      />
      <Group gap="xs" mt={4}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
          onClick={() => downloadText(fileName, text, 'application/x-pem-file')}
        >
          {`Download ${fileName}`}
        </Button>
        <CopyButton value={text} label={`Copy ${label}`} />
      </Group>
    </div>
  );
}
