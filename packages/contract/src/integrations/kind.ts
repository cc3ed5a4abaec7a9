import type { FieldViolation } from '../errors.ts';
import type { Message, ValueOf } from '../wire.ts';

/** A kind of integration: its settings, and the names of its calls. */
export interface IntegrationKind<
  Kind extends string = string,
  Rpc extends string = string,
  Config extends Message = Message,
> {
  readonly kind: Kind;
  /** The last part of its path: `/api/applications/{application_id}/integrations/<path>`. */
  readonly path: string;
  /** The part of the names of its calls: `Create<rpc>Integration`. */
  readonly rpc: Rpc;
  readonly label: string;
  /** What it does, for users who choose a kind. */
  readonly sentence: string;
  readonly config: Config;
  /**
   * The date on which its service ended, such as 2025-07-31: existing integrations stay readable, and no new ones are
   * created.
   */
  readonly ended?: string;
  /** The settings as they are stored: normalized. */
  tidied?(config: ValueOf<Config>): ValueOf<Config>;
  /** Checks that concern several fields; secrets are in plain text. */
  problemsOf?(config: ValueOf<Config>): readonly FieldViolation[];
}

/** Preserves the types of a literal. */
export function kindOf<const Kind extends string, const Rpc extends string, Config extends Message>(
  kind: IntegrationKind<Kind, Rpc, Config>,
): IntegrationKind<Kind, Rpc, Config> {
  return kind;
}

/** Why events are not delivered to a kind whose service has ended. */
export const endedSentence = ({ label, ended }: Pick<IntegrationKind, 'label' | 'ended'>): string =>
  `${label} ended on ${ended}. Nothing is sent to it any more; remove this integration.`;

/** The placeholder of a stored secret: returned instead of it, and written back it leaves the secret unchanged. */
export const unchangedSecret = '(unchanged)';
