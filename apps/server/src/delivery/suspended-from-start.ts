import { sql } from 'kysely';

/** Whether nobody has resumed or configured an integration since `storeSuspended`: such a copy has failed at nothing. */
export const isSuspendedFromStart = sql<boolean>`(
  integration_state.state = 'SUSPENDED' and integration_state.since = integration_state.from_at
)`;
