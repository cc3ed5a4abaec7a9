import { message, text, type ValueOf } from '../wire.ts';
import { applicationID } from './fields.ts';
import { kindOf } from './kind.ts';
import { oneURL, unreadableURLs } from './url.ts';

export const MyDevicesIntegration = message('api.MyDevicesIntegration', {
  applicationID,
  endpoint: text({
    label: 'myDevices endpoint',
    required: true,
    ...oneURL,
    choices: [
      { value: 'https://lora.mydevices.com/v1/networks/chirpstackio/uplink', label: 'Cayenne' },
      { value: 'https://lora.iotinabox.com/v1/networks/iotinabox.chirpstackio/uplink', label: 'IoT in a Box' },
    ],
  }),
});
export type MyDevicesIntegration = ValueOf<typeof MyDevicesIntegration>;

export const mydevices = kindOf({
  kind: 'MYDEVICES',
  path: 'mydevices',
  rpc: 'MyDevices',
  label: 'myDevices',
  sentence: 'Sends uplinks to the myDevices platform.',
  config: MyDevicesIntegration,
  problemsOf: (config) => unreadableURLs(config, ['endpoint']),
});
