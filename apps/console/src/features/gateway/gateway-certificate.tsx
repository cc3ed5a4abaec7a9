import { Paper, Stack, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { CertificateList } from '../../components/certificate/certificate-list.tsx';
import { GenerateCertificate } from '../../components/certificate/generate-certificate.tsx';
import { useIDs } from '../../components/link/use-ids.ts';

export function GatewayCertificate() {
  const { gatewayID } = useIDs();
  return (
    <Stack gap="md">
      <Paper>
        <Stack>
          <Text>
            A gateway that connects over TLS authenticates with a client certificate. The certificate and its key are
            shown once: save them before you leave the page.
          </Text>
          <GenerateCertificate
            generate={() =>
              perform(api.gateway.generateGatewayClientCertificate({ gatewayId: gatewayID }), {
                changed: ['gatewayCertificate'],
              })
            }
          />
        </Stack>
      </Paper>
      <CertificateList
        query={(page) => query('gatewayCertificate', 'list', { gatewayID, ...page })}
        revoke={(serial) =>
          perform(api.gatewayCertificate.revoke({ gatewayID, serial }), {
            changed: ['gatewayCertificate'],
            done: 'certificate has been revoked',
          })
        }
        users="Gateways"
        empty="Certificates that you create are listed here, without their keys. Certificates of remote network-servers are not listed."
      />
    </Stack>
  );
}
