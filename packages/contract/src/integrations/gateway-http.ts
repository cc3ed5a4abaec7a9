import { only, organizationAdmins } from '../access.ts';
import { type GatewayEventType, gatewayEventTypes } from '../gateway-event.ts';
import { get, ownOperationsOf, post, put, remove } from '../operation.ts';
import { bool, int64, list, listOf, message, needed, text, type ValueOf } from '../wire.ts';
import { endpointURL, HTTPIntegrationHeader, repeatedHeaders } from './http.ts';
import { kindOf } from './kind.ts';
import { unreadableURLs, urlsIn } from './url.ts';

const organizationID = int64({ label: 'Organization ID', required: true });

export const GatewayHTTPIntegration = message('hilltop.GatewayHTTPIntegration', {
  organizationID,
  headers: listOf(HTTPIntegrationHeader, { label: 'Headers', help: 'Sent with every request.', maxEntries: 50 }),
  eventEndpointURL: text({ ...endpointURL, required: true }),
  eventTypes: list(text({ label: 'Event', values: gatewayEventTypes }), {
    label: 'Events',
    help: 'Empty: all.',
    maxEntries: gatewayEventTypes.length,
  }),
});
export type GatewayHTTPIntegration = ValueOf<typeof GatewayHTTPIntegration>;

/** Whether an integration with these settings sends events of a type. */
export const sendsGatewayEvent = (
  { eventTypes }: Pick<GatewayHTTPIntegration, 'eventTypes'>,
  type: GatewayEventType,
): boolean => eventTypes.length === 0 || eventTypes.includes(type);

export const gatewayHTTP = kindOf({
  kind: 'GATEWAY_HTTP',
  path: 'http',
  rpc: 'GatewayHTTP',
  label: 'HTTP (gateway events)',
  sentence: 'Sends the events online, offline and stats of the gateways of an organization to your HTTP endpoints.',
  config: GatewayHTTPIntegration,
  problemsOf: (config) => [...unreadableURLs(config, ['eventEndpointURL']), ...repeatedHeaders(config)],
  tidied: (config) => ({
    ...config,
    eventEndpointURL: urlsIn(config.eventEndpointURL).join(','),
    eventTypes: [...new Set(config.eventTypes)],
  }),
});

const inPath = '/api/organizations/{organization_id}/integrations/http';
const inBody = '/api/organizations/{integration.organization_id}/integrations/http';
const ofPath = only('organization', 'organizationID', organizationAdmins);
const ofBody = only('organization', 'integration.organizationID', organizationAdmins);
const secretPath = `${inPath}/signing-secret`;
const wrapped = (name: string) => message(`hilltop.${name}`, { integration: needed(GatewayHTTPIntegration) });
const chosen = (name: string) => message(`hilltop.${name}`, { organizationID });

/** The HTTP integration of an organization, which gets the events of its gateways. */
export const gatewayIntegration = ownOperationsOf('gatewayIntegration', {
  create: post(inBody, {
    summary: 'Set up the HTTP integration of an organization',
    request: wrapped('CreateGatewayHTTPIntegrationRequest'),
    access: ofBody,
  }),
  get: get(inPath, {
    summary: 'Get the HTTP integration of an organization; secrets read (unchanged)',
    request: chosen('GetGatewayHTTPIntegrationRequest'),
    response: wrapped('GetGatewayHTTPIntegrationResponse'),
    access: ofPath,
  }),
  update: put(inBody, {
    summary: 'Update the HTTP integration of an organization; the value (unchanged) leaves a secret unchanged',
    request: wrapped('UpdateGatewayHTTPIntegrationRequest'),
    access: ofBody,
  }),
  delete: remove(inPath, {
    summary: 'Delete the HTTP integration of an organization',
    request: chosen('DeleteGatewayHTTPIntegrationRequest'),
    access: ofPath,
  }),
  getSigningSecret: get(secretPath, {
    summary: 'Get whether the HTTP integration of an organization signs its requests',
    request: chosen('GetGatewaySigningSecretRequest'),
    response: message('hilltop.GetGatewaySigningSecretResponse', { isSet: bool({ label: 'Signs its events' }) }),
    access: ofPath,
  }),
  makeSigningSecret: put(secretPath, {
    summary:
      'Enable signed requests of the HTTP integration of an organization with a new secret, which is returned once',
    request: chosen('MakeGatewaySigningSecretRequest'),
    response: message('hilltop.MakeGatewaySigningSecretResponse', {
      secret: text({
        label: 'Signing secret',
        help: 'The secret for the header webhook-signature (Standard Webhooks).',
        secret: true,
      }),
    }),
    access: ofPath,
  }),
  deleteSigningSecret: remove(secretPath, {
    summary: 'Disable signed requests of the HTTP integration of an organization',
    request: chosen('DeleteGatewaySigningSecretRequest'),
    access: ofPath,
  }),
});
