import { Button, Group } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { InlineError } from '../states/states.tsx';
import { type Certificate, CertificateValues } from './certificate-values.tsx';

/** Generates a client certificate on demand and shows it once. */
export function GenerateCertificate({ generate: make }: { generate: () => Promise<Certificate> }) {
  const generate = useMutation({ mutationFn: make });
  return (
    <>
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
      {generate.data && <CertificateValues certificate={generate.data} />}
    </>
  );
}
