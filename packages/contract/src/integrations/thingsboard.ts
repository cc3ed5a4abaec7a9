import { message, text, type ValueOf } from '../wire.ts';
import { applicationID } from './fields.ts';
import { kindOf } from './kind.ts';
import { oneURL, unreadableURLs } from './url.ts';

export const ThingsBoardIntegration = message('api.ThingsBoardIntegration', {
  applicationID,
  server: text({
    label: 'ThingsBoard server',
    help: 'Its address, such as https://demo.thingsboard.io. Each device needs its access token as variable ThingsBoardAccessToken; of devices without one nothing is sent.',
    required: true,
    ...oneURL,
  }),
});
export type ThingsBoardIntegration = ValueOf<typeof ThingsBoardIntegration>;

export const thingsboard = kindOf({
  kind: 'THINGSBOARD',
  path: 'thingsboard',
  rpc: 'ThingsBoard',
  label: 'ThingsBoard',
  sentence: 'Sends attributes and telemetry of devices to a ThingsBoard server.',
  config: ThingsBoardIntegration,
  problemsOf: (config) => unreadableURLs(config, ['server']),
});
