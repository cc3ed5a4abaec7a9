import { message, text, type ValueOf } from '../wire.ts';
import { applicationID, oneLine } from './fields.ts';
import { kindOf } from './kind.ts';
import { oneURL, unreadableURLs } from './url.ts';

export const PilotThingsIntegration = message('api.PilotThingsIntegration', {
  applicationID,
  server: text({
    label: 'Pilot Things server',
    help: 'Its address, such as https://example.pilot-things.net.',
    required: true,
    ...oneURL,
  }),
  token: text({
    ...oneLine,
    label: 'Authentication token',
    secret: true,
    maxLength: 1000,
    form: { required: true },
  }),
});
export type PilotThingsIntegration = ValueOf<typeof PilotThingsIntegration>;

export const pilotThings = kindOf({
  kind: 'PILOT_THINGS',
  path: 'pilot-things',
  rpc: 'PilotThings',
  label: 'Pilot Things',
  sentence: 'Sends uplinks to a Pilot Things server.',
  config: PilotThingsIntegration,
  problemsOf: (config) => unreadableURLs(config, ['server']),
});
