/** The certificates of a gateway. The recorded API can only issue one. */
import { gatewayAdmins, only } from './access.ts';
import { ClientCertificate } from './client-certificate.ts';
import { get, ownOperationsOf, page, remove } from './operation.ts';
import { shortText } from './rules.ts';
import { eui64, int64, listOf, message, text } from './wire.ts';

const path = '/api/gateways/{gateway_id}/certificates';
const ofGateway = { gatewayID: eui64({ required: true }) } as const;
const access = only('gateway', 'gatewayID', gatewayAdmins);

export const gatewayCertificate = ownOperationsOf('gatewayCertificate', {
  list: get(path, {
    summary: 'List the certificates of a gateway, the latest first',
    request: message('hilltop.ListGatewayCertificatesRequest', { ...ofGateway, ...page }),
    response: message('hilltop.ListGatewayCertificatesResponse', {
      totalCount: int64(),
      result: listOf(ClientCertificate),
    }),
    access,
  }),
  revoke: remove(`${path}/{serial}`, {
    summary: 'Revoke a certificate: a gateway that uses it is disconnected and cannot connect with it again',
    request: message('hilltop.RevokeGatewayCertificateRequest', {
      ...ofGateway,
      serial: text({ ...shortText, required: true }),
    }),
    access,
  }),
});
