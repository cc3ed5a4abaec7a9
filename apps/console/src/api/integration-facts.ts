import { facts } from 'virtual:integration-facts';
import type { IntegrationFacts } from '@hilltop/contract';
import { addMessages, type MessageName } from './facts.ts';

addMessages(facts.messages);

/** The kinds of integrations, in the order of the console. */
export const integrationKinds = facts.integrations as readonly (IntegrationFacts & { config: MessageName })[];

/** A kind in the spelling of URLs: `gcp-pubsub`. */
export const segmentOf = (kind: string): string => kind.toLowerCase().replaceAll('_', '-');
