import { randomBytes } from 'node:crypto';
import { integrationKinds, type Operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { openSecrets, sealSecrets } from '../../integrations/secrets.ts';
import { updateIntegration } from '../../integrations/store.ts';
import type { Secrets } from '../../secrets.ts';
import { existing } from './existing.ts';

const length = 32;

interface SigningSecretRoutesDependencies {
  database: Database;
  bus: Bus;
  clock: Clock;
  secrets: Secrets;
}

/** The secret with which an HTTP integration signs: created here, shown once, and stored with the other secrets. */
export function signingSecretRoutes(needs: SigningSecretRoutesDependencies): Handlers<Operations['integration']> {
  const { database, secrets, clock, bus } = needs;
  const found = (applicationID: string) => existing(database, applicationID, integrationKinds.HTTP);

  /** Undefined removes it. */
  const replace = (applicationID: string, signingSecret: string | undefined) =>
    database.transaction(async () => {
      const row = await found(applicationID);
      const { signingSecret: _, ...others } = openSecrets(secrets, row);
      const parts = { ...others, ...(signingSecret !== undefined && { signingSecret }) };
      await updateIntegration(database, row.id, {
        config: row.config,
        secrets: sealSecrets(secrets, row.id, parts),
        updated_at: clock.now(),
      });
      const { application_id } = row;
      database.afterCommit(() => bus.publish('integration-changed', '', { applicationID: application_id! }));
    });

  return {
    getSigningSecret: async ({ applicationID }) => {
      const { signingSecret } = openSecrets(secrets, await found(applicationID));
      return { isSet: signingSecret !== undefined };
    },

    makeSigningSecret: async ({ applicationID }) => {
      const secret = `whsec_${randomBytes(length).toString('base64')}`;
      await replace(applicationID, secret);
      return { secret };
    },

    deleteSigningSecret: async ({ applicationID }) => {
      await replace(applicationID, undefined);
      return {};
    },
  };
}
