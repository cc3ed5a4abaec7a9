import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { CertificateValues } from '../../components/certificate/certificate-values.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { InlineError } from '../../components/states/states.tsx';

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
        {generate.data && <CertificateValues certificate={generate.data} />}
      </Stack>
    </Paper>
  );
}
