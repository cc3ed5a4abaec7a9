import { randomBytes } from 'node:crypto';
import { type IntegrationKind, integrationKinds, type Operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toRowID } from '../../identifiers.ts';
import { openSecrets, sealSecrets } from '../../integrations/secrets.ts';
import { updateIntegration } from '../../integrations/store.ts';
import type { Secrets } from '../../secrets.ts';
import { existing } from './existing.ts';

const length = 32;

interface SigningSecretDependencies {
  database: Database;
  bus: Bus;
  clock: Clock;
  secrets: Secrets;
}

/** The secret with which a kind of HTTP integration signs: created here, shown once, and stored with the other secrets. */
export function signingSecretOf({ database, secrets, clock, bus }: SigningSecretDependencies, kind: IntegrationKind) {
  /** Undefined removes it. */
  const replace = (owner: number, signingSecret: string | undefined) =>
    database.transaction(async () => {
      const row = await existing(database, owner, kind);
      const { signingSecret: _, ...others } = openSecrets(secrets, row);
      const parts = { ...others, ...(signingSecret !== undefined && { signingSecret }) };
      await updateIntegration(database, row.id, {
        config: row.config,
        secrets: sealSecrets(secrets, row.id, parts),
        updated_at: clock.now(),
      });
      database.afterCommit(() => bus.publish('integration-changed', '', { applicationID: owner }));
    });

  return {
    get: async (owner: number) => {
      const { signingSecret } = openSecrets(secrets, await existing(database, owner, kind));
      return { isSet: signingSecret !== undefined };
    },

    make: async (owner: number) => {
      const secret = `whsec_${randomBytes(length).toString('base64')}`;
      await replace(owner, secret);
      return { secret };
    },

    remove: async (owner: number) => {
      await replace(owner, undefined);
      return {};
    },
  };
}

/** The signing secret of the HTTP integration of an application. */
export function signingSecretRoutes(needs: SigningSecretDependencies): Handlers<Operations['integration']> {
  const signing = signingSecretOf(needs, integrationKinds.HTTP);
  return {
    getSigningSecret: ({ applicationID }) => signing.get(toRowID(applicationID)),
    makeSigningSecret: ({ applicationID }) => signing.make(toRowID(applicationID)),
    deleteSigningSecret: ({ applicationID }) => signing.remove(toRowID(applicationID)),
  };
}
