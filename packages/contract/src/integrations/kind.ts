import type { FieldViolation } from '../errors.ts';
import type { Message, ValueOf } from '../wire.ts';

/** A kind of integration an application can have: what is filled in, and what its calls are made of. */
export interface IntegrationKind<
  Kind extends string = string,
  Rpc extends string = string,
  Config extends Message = Message,
> {
  readonly kind: Kind;
  /** The last part of its path: `/api/applications/{application_id}/integrations/<path>`. */
  readonly path: string;
  /** What stands in the names of its calls: `Create<rpc>Integration`. */
  readonly rpc: Rpc;
  readonly label: string;
  /** What it does, for somebody who chooses. */
  readonly sentence: string;
  readonly config: Config;
  /** The date on which its service ended, such as 2025-07-31: what is set up stays readable, and nothing new is set up. */
  readonly ended?: string;
  /** As it is kept: without what does not count. */
  tidied?(config: ValueOf<Config>): ValueOf<Config>;
  /** What facts of single fields cannot say; secrets are in clear. */
  problemsOf?(config: ValueOf<Config>): readonly FieldViolation[];
}

/** Keeps the types of a literal. */
export function kindOf<const Kind extends string, const Rpc extends string, Config extends Message>(
  kind: IntegrationKind<Kind, Rpc, Config>,
): IntegrationKind<Kind, Rpc, Config> {
  return kind;
}

/** Why nothing is delivered to a kind whose service has ended. */
export const endedSentence = ({ label, ended }: Pick<IntegrationKind, 'label' | 'ended'>): string =>
  `${label} ended on ${ended}. Nothing is sent to it any more; remove this integration.`;

/** Stands for a secret that is set: read instead of it, and written back it keeps what is stored. */
export const unchangedSecret = '(unchanged)';
