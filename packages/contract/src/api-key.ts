/** API keys. The recorded API lists, creates and deletes them (`internal.ts`); renaming and replacing are ours. */
import { keyAccessLevels, only } from './access.ts';
import { extended, ownOperationsOf, post, put } from './operation.ts';
import { plainName, shortText } from './rules.ts';
import { bool, enumeration, ifGiven, int64, message, oneOf, text, timestamp, uuid, type ValueOf } from './wire.ts';

const APIKeyAccess = enumeration('hilltop.APIKeyAccess', keyAccessLevels);

const name = { ...plainName, label: 'API key name' } as const;
const expiry = { label: 'Expires', help: 'The key is refused after this time.' } as const;

export const APIKey = extended(
  message('api.APIKey', {
    id: uuid({ label: 'API key ID' }),
    name: text(name),
    isAdmin: bool({ label: 'Global admin key' }),
    organizationID: int64({ label: 'Organization' }),
    applicationID: int64({ label: 'Application' }),
  }),
  {
    access: [1001, ifGiven(oneOf(APIKeyAccess, { label: 'Access' }))],
    expiresAt: [1002, ifGiven(timestamp(expiry))],
    createdAt: [1003, ifGiven(timestamp({ label: 'Created', help: 'Set by the server.' }))],
    createdBy: [
      1004,
      ifGiven(
        text({
          ...shortText,
          label: 'Created by',
          help: 'Set by the server: an e-mail address or "command line"; empty when unknown.',
        }),
      ),
    ],
    lastUsedAt: [1005, ifGiven(timestamp({ label: 'Last used', help: 'Set by the server, to the minute.' }))],
    lastUsedAddress: [
      1006,
      ifGiven(text({ ...shortText, label: 'Last used from', help: 'Set by the server: an IP address.' })),
    ],
  },
);
export type APIKey = ValueOf<typeof APIKey>;

const access = only('apiKey', 'id', ['globalAdmin', 'organizationAdmin']);
const id = uuid({ required: true });

export const apiKey = ownOperationsOf('apiKey', {
  update: put('/api/internal/api-keys/{id}', {
    summary: 'Change the name and the expiry of an API key; without expiresAt it never expires',
    request: message('hilltop.UpdateAPIKeyRequest', { id, name: text(name), expiresAt: timestamp(expiry) }),
    access,
  }),
  replace: post('/api/internal/api-keys/{id}/replace', {
    summary: 'Create an API key with the name, rights and end of this one, which remains valid for 24 hours',
    request: message('hilltop.ReplaceAPIKeyRequest', {
      id,
      expiresAt: timestamp({ label: 'Expires', help: 'When the new key expires; without it when this one does.' }),
      neverExpires: bool({ label: 'Never expires', help: 'The new key has no end, whatever expiresAt is.' }),
    }),
    response: message('hilltop.ReplaceAPIKeyResponse', {
      id: text({ label: 'ID of the new key' }),
      jwtToken: text({ label: 'Token of the new key', secret: true }),
    }),
    access,
  }),
});
