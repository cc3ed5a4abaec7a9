import { perform } from '../../api/queries.ts';
import { type Kind, removeIntegration } from './kinds.ts';

/** The question before an integration is deleted. */
export const removal = ({ label }: Kind) => ({
  question: `Are you sure you want to remove the ${label} integration?`,
  note: 'Undelivered events are dropped.',
});

export const remove = (kind: Kind, applicationID: string) =>
  perform(removeIntegration(kind, applicationID), {
    gone: ['application'],
    done: `${kind.label} integration has been deleted`,
  });
