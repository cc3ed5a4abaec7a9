import { administrators, only } from '../access.ts';
import { get, ownOperationsOf, put, remove } from '../operation.ts';
import { bool, message, text } from '../wire.ts';
import { applicationID } from './fields.ts';

const path = '/api/applications/{application_id}/integrations/http/signing-secret';
const access = only('application', 'applicationID', administrators);

/** The secret with which the HTTP integration of an application signs, so that receivers can verify its events. */
export const integration = ownOperationsOf('integration', {
  getSigningSecret: get(path, {
    summary: 'Tell whether the HTTP integration signs what it sends',
    request: message('hilltop.GetSigningSecretRequest', { applicationID }),
    response: message('hilltop.GetSigningSecretResponse', { isSet: bool({ label: 'Signs its events' }) }),
    access,
  }),
  makeSigningSecret: put(path, {
    summary: 'Let the HTTP integration sign what it sends, with a new secret that cannot be read again',
    request: message('hilltop.MakeSigningSecretRequest', { applicationID }),
    response: message('hilltop.MakeSigningSecretResponse', {
      secret: text({
        label: 'Signing secret',
        help: 'For the header webhook-signature, as Standard Webhooks have it.',
        secret: true,
      }),
    }),
    access,
  }),
  deleteSigningSecret: remove(path, {
    summary: 'Let the HTTP integration sign no more',
    request: message('hilltop.DeleteSigningSecretRequest', { applicationID }),
    access,
  }),
});
