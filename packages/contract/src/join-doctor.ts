/** Why a device does not join: a list of checks, each with what to do. Not in the recorded API. */
import { applicationReaders, only } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import {
  double,
  enumeration,
  eui64,
  int32,
  list,
  listOf,
  map,
  message,
  oneOf,
  text,
  timestamp,
  uint32,
  type ValueOf,
} from './wire.ts';

/** The checks by the way of a join, with their names. */
export const joinChecks = {
  REGION: 'Network-server',
  ENABLED: 'Device',
  PROFILE: 'Device-profile',
  KEYS: 'Keys',
  EUI: 'Device EUI',
  RECEIVED: 'Join-request',
  GATEWAYS: 'Gateways',
  SIGNATURE: 'Signature',
  DEV_NONCE: 'DevNonce',
  SENT: 'Join-accept',
  FIRST_UPLINK: 'First uplink',
} as const satisfies Record<string, string>;
export type JoinCheckName = keyof typeof joinChecks;

/** What a user can do about a problem. */
export const joinFixes = [
  'NONE',
  'SET_KEYS',
  'ENABLE',
  'OPEN_PROFILE',
  'RECREATE',
  'USE_KEY',
  'CLEAR_DEV_NONCES',
  'OPEN_GATEWAY',
] as const;
export type JoinFix = (typeof joinFixes)[number];

interface JoinFinding {
  readonly check: JoinCheckName;
  readonly fix: JoinFix;
  /** `{name}` stands for a parameter; `{at}` and `{since}` are times. */
  readonly sentence: string;
}

/** What a check can find, with the sentence for users. Names and parameters are stable, sentences are not. */
export const joinFindings = {
  NOT_RUNNING: { check: 'REGION', fix: 'NONE', sentence: 'No network-server for {region} runs here.' },
  REMOTE: { check: 'REGION', fix: 'NONE', sentence: 'This network-server is remote and reports only errors.' },
  UNKNOWN_CHANNEL: {
    check: 'REGION',
    fix: 'NONE',
    sentence:
      'The join-request came on a frequency that {region} does not use here. Compare the region of the device, and the channels of the network-server.',
  },
  DISABLED: { check: 'ENABLED', fix: 'ENABLE', sentence: 'The device is disabled.' },
  ABP_PROFILE: { check: 'PROFILE', fix: 'OPEN_PROFILE', sentence: 'The device-profile is for ABP.' },
  NO_KEYS: { check: 'KEYS', fix: 'SET_KEYS', sentence: 'No keys are set.' },
  KEYS_ELSEWHERE: {
    check: 'KEYS',
    fix: 'NONE',
    sentence: 'No keys are set here. The join-server of its JoinEUI may have them.',
  },
  UNKNOWN_TO_JOIN_SERVER: {
    check: 'KEYS',
    fix: 'NONE',
    sentence: 'The join-server of its JoinEUI does not know the device. Register it there.',
  },
  JOIN_SERVER_FAILED: {
    check: 'KEYS',
    fix: 'NONE',
    sentence: 'The join-server of its JoinEUI did not respond, or refused for a reason of its own.',
  },
  EUI_REVERSED: {
    check: 'EUI',
    fix: 'RECREATE',
    sentence: '{eui} was received {at}: the EUI is in the other byte order.',
  },
  EUI_EXCHANGED: {
    check: 'EUI',
    fix: 'RECREATE',
    sentence: 'A device sends this EUI as its JoinEUI, and {eui} as its DevEUI ({at}): the two are exchanged.',
  },
  NOT_RECEIVED: {
    check: 'RECEIVED',
    fix: 'NONE',
    sentence:
      'No gateway of this network-server ({region}) has received a join-request of {devEUI} since {since}. Check power, antenna, region and the EUI.',
  },
  FORMER_SESSION: {
    check: 'RECEIVED',
    fix: 'NONE',
    sentence: 'It still sends with its former session ({devAddr}, {at}). Reset the device, so that it joins again.',
  },
  REMOTE_ERROR: { check: 'RECEIVED', fix: 'NONE', sentence: 'The network-server refused it {at}: {error}' },
  PRIVATE_GATEWAYS: {
    check: 'GATEWAYS',
    fix: 'NONE',
    sentence: 'Only gateways that are private to another service-profile have received it.',
  },
  KEY_REVERSED: {
    check: 'SIGNATURE',
    fix: 'USE_KEY',
    sentence: 'The device signs with the stored key in the other byte order.',
  },
  KEYS_EXCHANGED: {
    check: 'SIGNATURE',
    fix: 'USE_KEY',
    sentence: 'The device signs with the application key: network key and application key are exchanged.',
  },
  KEY_OF_ZEROS: {
    check: 'SIGNATURE',
    fix: 'NONE',
    sentence: 'The device signs with a key of zeros: nobody has written its key into it.',
  },
  KEY_OF_OTHER: {
    check: 'SIGNATURE',
    fix: 'USE_KEY',
    sentence: 'The device signs with the key of {name} ({other}). Rows of an import may be shifted.',
  },
  KEY_WRONG: { check: 'SIGNATURE', fix: 'SET_KEYS', sentence: 'The key is wrong: the device signs with another one.' },
  KEY_CORRECTED: {
    check: 'SIGNATURE',
    fix: 'NONE',
    sentence: 'The key that is stored now fits the last join-request. Wait for the next one.',
  },
  DEV_NONCE_USED: {
    check: 'DEV_NONCE',
    fix: 'CLEAR_DEV_NONCES',
    sentence:
      'DevNonce {devNonce} was used before, or is lower than the last one: the device was reset, or a recorded join-request is sent again.',
  },
  GATEWAY_REFUSED: {
    check: 'SENT',
    fix: 'OPEN_GATEWAY',
    sentence:
      'Accepted, but gateway {name} refused to send ({status}, {refused} of {accepted}). With TOO_LATE its delay to this server is too long.',
  },
  NOT_SENT: {
    check: 'SENT',
    fix: 'NONE',
    sentence: 'Accepted, but no gateway has confirmed that it sent the join-accept.',
  },
  DID_NOT_GO_ON: {
    check: 'FIRST_UPLINK',
    fix: 'NONE',
    sentence:
      'Accepted {accepted} times, and the device did not go on: it does not receive the join-accept. Best RSSI {rssi} dBm. Check its antenna and its clock.',
  },
} as const satisfies Record<string, JoinFinding>;
export type JoinFindingName = keyof typeof joinFindings;

/** The sentence of a finding with its parameters, as texts. */
export function joinFindingText(name: string, parameters: Readonly<Record<string, string>>): string {
  const { sentence = '' } = (joinFindings as Readonly<Record<string, JoinFinding>>)[name] ?? {};
  return sentence.replace(/\{(\w+)\}/g, (_, parameter: string) => parameters[parameter] ?? '');
}

const CheckState = enumeration('hilltop.JoinCheckState', ['OK', 'PROBLEM', 'WAITING', 'UNKNOWN']);
const Verdict = enumeration('hilltop.JoinVerdict', ['JOINED', 'PROBLEM', 'WAITING', 'UNKNOWN']);

const JoinCheck = message('hilltop.JoinCheck', {
  check: oneOf(enumeration('hilltop.JoinCheckName', Object.keys(joinChecks) as JoinCheckName[]), { label: 'Check' }),
  state: oneOf(CheckState, { label: 'State' }),
  finding: text({ label: 'Finding', help: 'The stable name of what was found; empty for most that are OK.' }),
  parameters: map('text', text(), { label: 'Parameters', help: 'Of the finding.' }),
  text: text({ label: 'Text', help: 'The finding in English, with its parameters.' }),
  fix: oneOf(enumeration('hilltop.JoinFix', joinFixes), { label: 'What to do' }),
});
export type JoinCheck = ValueOf<typeof JoinCheck>;

const JoinGateway = message('hilltop.JoinGateway', {
  gatewayID: eui64({ label: 'Gateway' }),
  name: text({ label: 'Name of the gateway' }),
  rssi: int32({ label: 'RSSI', unit: 'dBm' }),
  snr: double({ label: 'SNR', unit: 'dB' }),
});

const JoinRequestItem = message('hilltop.JoinRequestItem', {
  at: timestamp({ label: 'Received' }),
  joinEUI: eui64({ label: 'Join EUI' }),
  devNonce: uint32({ label: 'DevNonce' }),
  outcome: text({ label: 'Outcome', help: 'ACCEPTED, or why it was refused.' }),
  gateways: listOf(JoinGateway, { label: 'Gateways', help: 'Those of the organization, best first.' }),
  answers: list(text(), { label: 'Gateway results', help: 'What gateways reported that should send the join-accept.' }),
});
export type JoinRequestItem = ValueOf<typeof JoinRequestItem>;

export const joinDoctor = ownOperationsOf('joinDoctor', {
  get: get('/api/devices/{dev_eui}/join-doctor', {
    summary: 'Check why a device does not join',
    request: message('hilltop.GetJoinDoctorRequest', { devEUI: eui64({ required: true }) }),
    response: message('hilltop.GetJoinDoctorResponse', {
      verdict: oneOf(Verdict, { label: 'Verdict' }),
      checks: listOf(JoinCheck, { label: 'Checks' }),
      requests: listOf(JoinRequestItem, { label: 'Last join-requests', help: 'At most ten, the latest first.' }),
    }),
    access: only('device', 'devEUI', applicationReaders),
  }),
});
