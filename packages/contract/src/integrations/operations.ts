import type { Access } from '../access.ts';
import { Empty, get, post, put, remove, type Unnamed } from '../operation.ts';
import { type Field, type Message, message, needed, type ValueOf } from '../wire.ts';
import { applicationID } from './fields.ts';
import { type IntegrationKinds, integrationKinds } from './kinds.ts';

type Kinds = IntegrationKinds;
type Name<Verb extends string, Kind extends keyof Kinds> = `${Verb}${Kinds[Kind]['rpc']}Integration`;
type Wrapped<Kind extends keyof Kinds> = Message<{ readonly integration: Field<ValueOf<Kinds[Kind]['config']>> }>;
type Chosen = Message<{ readonly applicationID: typeof applicationID }>;
type None = typeof Empty;

type Writes<Verb extends string> = { [Kind in keyof Kinds as Name<Verb, Kind>]: Unnamed<Wrapped<Kind>, None> };
type Reads = { [Kind in keyof Kinds as Name<'get', Kind>]: Unnamed<Chosen, Wrapped<Kind>> };
type Removes = { [Kind in keyof Kinds as Name<'delete', Kind>]: Unnamed<Chosen, None> };

/** Create, get, update and delete of every kind: `createHTTPIntegration`, `getInfluxDBIntegration` ... */
export function integrationCalls(access: (applicationID: string) => Access) {
  const calls = Object.values(integrationKinds).flatMap(({ path, rpc, label, config }) => {
    const chosen = (verb: string) => message(`api.${verb}${rpc}IntegrationRequest`, { applicationID });
    const wrapped = (name: string) => message(`api.${name}`, { integration: needed<Message>(config) });
    const [inPath, inBody] = ['application_id', 'integration.application_id'].map(
      (parameter) => `/api/applications/{${parameter}}/integrations/${path}`,
    ) as [string, string];
    const [ofPath, ofBody] = [access('applicationID'), access('integration.applicationID')];
    return [
      [
        `create${rpc}Integration`,
        post(inBody, {
          summary: `Set up the ${label} integration of an application`,
          request: wrapped(`Create${rpc}IntegrationRequest`),
          access: ofBody,
        }),
      ],
      [
        `get${rpc}Integration`,
        get(inPath, {
          summary: `Get the ${label} integration of an application; secrets read (unchanged)`,
          request: chosen('Get'),
          response: wrapped(`Get${rpc}IntegrationResponse`),
          access: ofPath,
        }),
      ],
      [
        `update${rpc}Integration`,
        put(inBody, {
          summary: `Update the ${label} integration of an application; the value (unchanged) leaves a secret unchanged`,
          request: wrapped(`Update${rpc}IntegrationRequest`),
          access: ofBody,
        }),
      ],
      [
        `delete${rpc}Integration`,
        remove(inPath, {
          summary: `Delete the ${label} integration of an application`,
          request: chosen('Delete'),
          access: ofPath,
        }),
      ],
    ] as const;
  });
  return Object.fromEntries(calls) as unknown as Writes<'create'> & Reads & Writes<'update'> & Removes;
}
