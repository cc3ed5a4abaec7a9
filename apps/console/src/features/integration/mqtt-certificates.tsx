import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { CertificateList } from '../../components/certificate/certificate-list.tsx';

export function MQTTCertificates({ applicationID }: { applicationID: string }) {
  return (
    <CertificateList
      query={(page) => query('mqtt', 'listCertificates', { applicationID, ...page })}
      revoke={(serial) =>
        perform(api.mqtt.revokeCertificate({ applicationID, serial }), {
          changed: ['mqtt'],
          done: 'certificate has been revoked',
        })
      }
      users="Programs"
      empty="Certificates that you create are listed here, without their keys."
    />
  );
}
