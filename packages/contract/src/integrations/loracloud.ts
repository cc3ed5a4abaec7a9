import { bool, message, text, uint32, type ValueOf } from '../wire.ts';
import { applicationID, oneLine } from './fields.ts';
import { kindOf } from './kind.ts';

const token = { ...oneLine, secret: true, maxLength: 1000 } as const;
const fPort = { max: 255 } as const;
const payloadField = { ...oneLine, maxLength: 200 } as const;

export const LoRaCloudIntegration = message('api.LoRaCloudIntegration', {
  applicationID,
  geolocation: bool({ label: 'Geolocation', help: 'Legacy switch for all resolvers.' }),
  geolocationToken: text({
    ...token,
    label: 'Geolocation token (legacy)',
    help: 'Used only without a token for the modem and geolocation services.',
  }),
  geolocationBufferTTL: uint32({
    label: 'Geolocation buffer TTL',
    help: 'How long frames are collected before they are located together; 0 locates each frame separately.',
    unit: 's',
    form: { max: 86_400 },
  }),
  geolocationMinBufferSize: uint32({
    label: 'Geolocation minimum buffer size',
    help: 'The minimum number of frames to locate together.',
    unit: 'frames',
    form: { max: 30 },
  }),
  geolocationTDOA: bool({ label: 'TDOA', help: 'Locates by the time differences of arrival (TDOA) between gateways.' }),
  geolocationRSSI: bool({ label: 'RSSI', help: 'Locates by the signal strength at gateways.' }),
  geolocationGNSS: bool({ label: 'GNSS', help: 'Locates by scans of satellites in the decoded payload.' }),
  geolocationGNSSPayloadField: text({
    ...payloadField,
    label: 'GNSS payload field',
    help: 'The member of the decoded object that holds the scan, as base64 text.',
    form: { requiredWhen: { field: 'geolocationGNSS', is: true } },
  }),
  geolocationGNSSUseRxTime: bool({
    label: 'Use receive time for GNSS',
    help: 'Helps to resolve scans without a timestamp.',
  }),
  geolocationWifi: bool({ label: 'Wi-Fi', help: 'Locates by access points in the decoded payload.' }),
  geolocationWifiPayloadField: text({
    ...payloadField,
    label: 'Wi-Fi payload field',
    help: 'The member of the decoded object that holds the access points: a list of {macAddress, signalStrength}.',
    form: { requiredWhen: { field: 'geolocationWifi', is: true } },
  }),
  das: bool({
    label: 'Modem and geolocation services',
    help: 'Passes uplinks and joins to the device application services of Semtech.',
  }),
  dasToken: text({ ...token, label: 'Token', form: { required: true } }),
  dasModemPort: uint32({ ...fPort, label: 'Modem port', help: 'FPort of messages of the modem.' }),
  dasGNSSPort: uint32({ ...fPort, label: 'GNSS port', help: 'FPort of scans of satellites.' }),
  dasGNSSUseRxTime: bool({
    label: 'Use receive time for GNSS',
    help: 'Helps to resolve scans without a timestamp.',
  }),
  dasStreamingGeolocWorkaround: bool({
    label: 'Locate from stream records',
    help: 'Also locates scans that arrive in a data stream.',
  }),
});
export type LoRaCloudIntegration = ValueOf<typeof LoRaCloudIntegration>;

export const loracloud = kindOf({
  kind: 'LORACLOUD',
  path: 'loracloud',
  rpc: 'LoRaCloud',
  label: 'Semtech LoRa Cloud',
  sentence: 'Located devices and served LoRa Edge modems by the services of Semtech.',
  ended: '2025-07-31',
  config: LoRaCloudIntegration,
});
