import type { AnyAdapter } from './attempt.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { IntegrationRunner } from './runner.ts';

/** An integration that this instance delivers to. */
export interface ActiveIntegration {
  readonly id: number;
  readonly runner: IntegrationRunner;
  readonly adapter: AnyAdapter;
  readonly attemptLog: AttemptLog;
}
