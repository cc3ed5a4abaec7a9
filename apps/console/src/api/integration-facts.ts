import { facts } from 'virtual:integration-facts';
import type { IntegrationFacts } from '@hilltop/contract';
import { addMessages, type MessageName } from './facts.ts';

addMessages(facts.messages);

/** The kinds of integration an application can have, in the order they are offered. */
export const integrationKinds = facts.integrations as readonly (IntegrationFacts & { config: MessageName })[];

/** A kind as addresses spell it: `gcp-pubsub`. */
export const segmentOf = (kind: string): string => kind.toLowerCase().replaceAll('_', '-');
