/** The integrity of the stored data. Not in the recorded API. */
import { admins, globally } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import { list, message, text } from './wire.ts';

export const integrity = ownOperationsOf('integrity', {
  get: get('/api/integrity', {
    summary: 'Get the damage that the check at the start found in the embedded database',
    response: message('hilltop.GetIntegrityResponse', {
      advice: text({ label: 'What to do', help: 'Empty while no damage was found.' }),
      findings: list(text()),
    }),
    access: globally(...admins),
  }),
});
