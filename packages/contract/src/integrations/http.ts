import type { FieldViolation } from '../errors.ts';
import { type Facts, listOf, message, text, type ValueOf } from '../wire.ts';
import { applicationID, marshaler } from './fields.ts';
import { kindOf } from './kind.ts';
import { severalURLs, unreadableURLs, urlsIn } from './url.ts';

function replacing(event: string) {
  return text({
    ...severalURLs,
    label: `Endpoint URL(s) for ${event} events (legacy)`,
    help: 'Replaces the endpoint for all events.',
  });
}

/** Headers about the connection itself, as patterns: users must not set them. */
export const headersOfConnection = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-.*',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;
const inAnyCase = (words: string) => words.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

export const HTTPIntegrationHeader = message('api.HTTPIntegrationHeader', {
  key: text({
    label: 'Header name',
    required: true,
    maxLength: 100,
    pattern: `^(?!(${inAnyCase(headersOfConnection.join('|'))})$)[A-Za-z0-9\\-]+$`,
    message:
      'A header name has letters, digits and dashes. Headers of the connection, such as Host or Content-Length, are not allowed.',
  }),
  value: text({
    label: 'Header value',
    maxLength: 4000,
    pattern: '^[\\x20-\\x7e\\x80-\\xff]*$',
    message: 'A header value is one line of Latin-1 characters.',
    secretWhen: { field: 'key', matches: 'auth|token|key|secret|cookie|password|signature' },
  }),
});

const addresses = [
  'uplinkDataURL',
  'joinNotificationURL',
  'ackNotificationURL',
  'errorNotificationURL',
  'statusNotificationURL',
  'locationNotificationURL',
  'txAckNotificationURL',
  'integrationNotificationURL',
  'eventEndpointURL',
] as const;

export const endpointURL = {
  ...severalURLs,
  label: 'Endpoint URL(s) for events',
  help: 'Events are sent by POST with their type in the query parameter event. Several addresses are separated by commas.',
} as const satisfies Facts;

export const HTTPIntegration = message('api.HTTPIntegration', {
  applicationID,
  headers: listOf(HTTPIntegrationHeader, { label: 'Headers', help: 'Sent with every request.', maxEntries: 50 }),
  uplinkDataURL: replacing('uplink'),
  joinNotificationURL: replacing('join'),
  ackNotificationURL: replacing('ack'),
  errorNotificationURL: replacing('error'),
  statusNotificationURL: replacing('status'),
  locationNotificationURL: replacing('location'),
  txAckNotificationURL: replacing('txack'),
  integrationNotificationURL: replacing('integration'),
  marshaler,
  eventEndpointURL: text(endpointURL),
});
export type HTTPIntegration = ValueOf<typeof HTTPIntegration>;

export function repeatedHeaders({ headers }: Pick<HTTPIntegration, 'headers'>): FieldViolation[] {
  const names = headers.map(({ key }) => key.toLowerCase());
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ field: `headers[${index}].key`, description: 'This header occurs twice. Remove one of them.' }],
  );
}

export const http = kindOf({
  kind: 'HTTP',
  path: 'http',
  rpc: 'HTTP',
  label: 'HTTP',
  sentence: 'Sends every event to your HTTP endpoints.',
  config: HTTPIntegration,
  problemsOf: (config) => [...unreadableURLs(config, addresses), ...repeatedHeaders(config)],
  tidied: (config) => ({
    ...config,
    ...Object.fromEntries(addresses.map((name) => [name, urlsIn(config[name]).join(',')])),
  }),
});
