/** A new gateway in place of a broken one. The recorded API can only delete one gateway and create another. */
import { gatewayAdmins, only } from './access.ts';
import { ownOperationsOf, post } from './operation.ts';
import { eui64, message } from './wire.ts';

export const CreateGatewayReplacementRequest = message('hilltop.CreateGatewayReplacementRequest', {
  gatewayID: eui64({ required: true, fixed: true }),
  newGatewayID: eui64({ label: 'New gateway ID', help: 'The ID of the new gateway: 8 bytes.', required: true }),
});

export const gatewayReplacement = ownOperationsOf('gatewayReplacement', {
  create: post('/api/gateways/{gateway_id}/replacement', {
    summary:
      'Replace a gateway: the new ID takes over name, position, tags, profiles and statistics; the old ID and its certificates end',
    request: CreateGatewayReplacementRequest,
    access: only('gateway', 'gatewayID', gatewayAdmins),
  }),
});
