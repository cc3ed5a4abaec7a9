import type { IntegrationKindName } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import { factsOf, fieldsOf } from '../../api/facts.ts';
import { integrationKinds, segmentOf } from '../../api/integration-facts.ts';
import { query, type Read } from '../../api/queries.ts';

/** The configuration of an integration: the members of the message of its kind. */
export type Config = Readonly<Record<string, unknown>>;
export type Kind = (typeof integrationKinds)[number];

export const kindAt = (segment: string): Kind | undefined =>
  integrationKinds.find(({ kind }) => segmentOf(kind) === segment);

type Call = (request: unknown) => Promise<unknown>;

// The contract names the calls of a kind after it; TypeScript cannot follow that through a variable.
const call = (verb: 'create' | 'update' | 'delete', { rpc }: Kind): Call =>
  (api.application as unknown as Record<string, Call>)[`${verb}${rpc}Integration`]!;

export const readConfig = ({ rpc }: Kind, applicationID: string) =>
  query('application', `get${rpc}Integration` as never, { applicationID } as never) as unknown as Read<{
    integration: Config;
  }>;

export const createIntegration = (kind: Kind, integration: Config) => call('create', kind)({ integration });
export const updateIntegration = (kind: Kind, integration: Config) => call('update', kind)({ integration });
export const removeIntegration = (kind: Kind, applicationID: string) => call('delete', kind)({ applicationID });

/** Initial values that are not empty. */
const defaults: Partial<Record<IntegrationKindName, Config>> = {
  LORACLOUD: { das: true, dasGNSSPort: 198, dasModemPort: 199 },
};

const empty: Record<string, unknown> = { text: '', int64: '0', bool: false, list: [] };

export function newConfig({ kind, config }: Kind, applicationID: string): Config {
  const members = fieldsOf(config).map((name) => {
    const { kind: of, names = [] } = factsOf(config, name);
    return [name, names[0] ?? empty[of] ?? 0];
  });
  return { ...Object.fromEntries(members), ...defaults[kind], applicationID };
}
