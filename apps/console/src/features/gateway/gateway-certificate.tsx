import { Paper, Stack, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { GenerateCertificate } from '../../components/certificate/generate-certificate.tsx';
import { useIDs } from '../../components/link/use-ids.ts';

export function GatewayCertificate() {
  const { gatewayID } = useIDs();
  return (
    <Paper maw={720}>
      <Stack>
        <Text>
          A gateway that connects over TLS shows who it is with a client certificate. The certificate and its key are
          shown this one time: save them before you leave the page.
        </Text>
        <GenerateCertificate
          generate={() => perform(api.gateway.generateGatewayClientCertificate({ gatewayId: gatewayID }))}
        />
      </Stack>
    </Paper>
  );
}
