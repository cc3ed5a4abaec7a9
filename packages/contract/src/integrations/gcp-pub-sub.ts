import { message, text, type ValueOf } from '../wire.ts';
import { applicationID, marshaler, oneLine } from './fields.ts';
import { kindOf } from './kind.ts';

export const GCPPubSubIntegration = message('api.GCPPubSubIntegration', {
  applicationID,
  marshaler,
  credentialsFile: text({
    label: 'Service-account credentials',
    help: 'The content of the JSON file of a service-account that may publish to the topic.',
    required: true,
    secret: true,
    maxLength: 20_000,
  }),
  projectID: text({ ...oneLine, label: 'Project ID', required: true, maxLength: 200 }),
  topicName: text({
    ...oneLine,
    label: 'Topic name',
    help: 'Without the name of the project.',
    required: true,
    maxLength: 300,
  }),
});
export type GCPPubSubIntegration = ValueOf<typeof GCPPubSubIntegration>;

export interface ServiceAccount {
  readonly email: string;
  /** PEM text of an RSA key in PKCS 8. */
  readonly privateKey: string;
  readonly keyID: string | undefined;
  readonly tokenURL: string;
}

/** The contents of a credentials file; undefined when it is not one of a service-account. */
export function serviceAccountOf(credentialsFile: string): ServiceAccount | undefined {
  let json: unknown;
  try {
    json = JSON.parse(credentialsFile);
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  const given = json as Readonly<Record<string, unknown>>;
  const word = (name: string) => (typeof given[name] === 'string' && given[name] !== '' ? given[name] : undefined);
  const [email, privateKey] = [word('client_email'), word('private_key')];
  const tokenURL = word('token_uri') ?? 'https://oauth2.googleapis.com/token';
  if (!email || !privateKey?.includes('-----BEGIN PRIVATE KEY-----') || !URL.canParse(tokenURL)) return undefined;
  return { email, privateKey, keyID: word('private_key_id'), tokenURL };
}

export const gcpPubSub = kindOf({
  kind: 'GCP_PUBSUB',
  path: 'gcp-pub-sub',
  rpc: 'GCPPubSub',
  label: 'GCP Pub/Sub',
  sentence: 'Publishes events to a topic of Google Cloud Pub/Sub.',
  config: GCPPubSubIntegration,
  problemsOf: ({ credentialsFile }) =>
    serviceAccountOf(credentialsFile)
      ? []
      : [
          {
            field: 'credentialsFile',
            description:
              'This is not the JSON of a service-account, which has client_email and private_key. Create a JSON key for it and paste the whole file.',
          },
        ],
});
