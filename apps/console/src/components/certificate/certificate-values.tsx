import { Alert, Button, Group, Textarea, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { CopyButton } from '../copy/copy.tsx';
import { downloadText } from '../download/download.ts';
import { formatLong } from '../last-seen/dates.ts';

/** A client certificate as the API returns it once: PEM texts. */
export interface Certificate {
  caCert: string;
  tlsCert: string;
  tlsKey: string;
  expiresAt: string | null;
}

/** Texts that the server does not return again, each with buttons to copy and to save it. */
export function CertificateValues({ certificate }: { certificate: Certificate }) {
  const { expiresAt, caCert, tlsCert, tlsKey } = certificate;
  return (
    <>
      <Alert variant="default" icon={<IconAlertTriangle color="var(--state-attention)" />}>
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
        rows={12}
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
