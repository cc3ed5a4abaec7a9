import { administrators, only } from '../access.ts';
import { get, ownOperationsOf, put, remove } from '../operation.ts';
import { bool, message, text } from '../wire.ts';
import { applicationID } from './fields.ts';

const path = '/api/applications/{application_id}/integrations/http/signing-secret';
const access = only('application', 'applicationID', administrators);

/** The secret with which the HTTP integration of an application signs, so that receivers can verify its events. */
export const integration = ownOperationsOf('integration', {
  getSigningSecret: get(path, {
    summary: 'Get whether the HTTP integration signs its requests',
    request: message('hilltop.GetSigningSecretRequest', { applicationID }),
    response: message('hilltop.GetSigningSecretResponse', { isSet: bool({ label: 'Signs its events' }) }),
    access,
  }),
  makeSigningSecret: put(path, {
    summary: 'Enable signed requests of the HTTP integration with a new secret, which is returned once',
    request: message('hilltop.MakeSigningSecretRequest', { applicationID }),
    response: message('hilltop.MakeSigningSecretResponse', {
      secret: text({
        label: 'Signing secret',
        help: 'The secret for the header webhook-signature (Standard Webhooks).',
        secret: true,
      }),
    }),
    access,
  }),
  deleteSigningSecret: remove(path, {
    summary: 'Disable signed requests of the HTTP integration',
    request: message('hilltop.DeleteSigningSecretRequest', { applicationID }),
    access,
  }),
});
