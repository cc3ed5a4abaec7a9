import { z } from 'zod';
import { file, optionalAddress, type SettingsOf } from '../../setting-schemas.ts';

/** `label=hex` pairs, such as `000013=00112233445566778899aabbccddeeff`; keys of 16, 24 or 32 bytes. */
const keks = z.string().transform((text, context) => {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const found = new Map<string, Uint8Array>();
  for (const pair of pairs) {
    const [, label, hex] = /^\s*([^=\s][^=]*?)\s*=\s*([0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})\s*$/i.exec(pair) ?? [];
    if (label && hex && !found.has(label)) found.set(label, Uint8Array.fromHex(hex));
  }
  if (found.size === pairs.length) return found;
  const message =
    'must be a comma separated list of different labels, each with a key of 16, 24 or 32 bytes: label=hex';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** JoinEUIs with the same first bits, such as `70b3d57ed0000000/40`; all 64 bits without a length. */
export interface JoinEUIRange {
  first: bigint;
  bits: number;
}

const joinEUIRange = z.string().transform((text, context): JoinEUIRange => {
  const [, hex = '', length = '64'] = /^([0-9a-f]{16})(?:\/(\d{1,2}))?$/i.exec(text) ?? [];
  const bits = Number(length);
  const first = BigInt(`0x${hex || '0'}`);
  if (hex !== '' && bits <= 64 && BigInt.asUintN(64 - bits, first) === 0n) return { first, bits };
  context.addIssue({ code: 'custom', message: 'joinEUI' });
  return z.NEVER;
});

const joinServers = z.array(
  z.strictObject({
    joinEUI: joinEUIRange,
    url: z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)),
    caCert: z.string().default(''),
    tlsCert: z.string().default(''),
    tlsKey: z.string().default(''),
  }),
);
export type JoinServerSetting = z.infer<typeof joinServers>[number];

const problem =
  'must be a JSON list of objects such as {"joinEUI":"70b3d57ed0000000/40","url":"https://js.example.org","caCert":"…","tlsCert":"…","tlsKey":"…"}, the last three being PEM files that can be left out';

const joinServersSetting = z.union([z.string(), z.array(z.unknown())]).transform((given, context) => {
  try {
    return joinServers.parse(typeof given === 'string' ? JSON.parse(given === '' ? '[]' : given) : given);
  } catch {
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  }
});

/** The join server for external network servers, and external join servers. */
export const joinServerSettings = {
  joinServer: optionalAddress
    .prefault('')
    .meta({ help: 'address of the join server for external network servers; empty: off' }),
  joinServerCA: file('CA (PEM file) that must have signed the client certificates of external network servers'),
  joinServerCert: file('TLS certificate (PEM file) of HILLTOP_JOIN_SERVER'),
  joinServerKey: file('key (PEM file) of HILLTOP_JOIN_SERVER_CERT'),
  joinServerKEK: keks.prefault('').meta({
    help: 'key-encryption keys as label=hex, separated by commas; the label that is the NetID of a network server wraps its session keys',
    secret: true,
    usual: '-',
  }),
  joinServerASLabel: z.string().default('').meta({ help: 'label of the key-encryption key that wraps AppSKeys' }),
  joinServers: joinServersSetting.prefault('').meta({
    help: 'external join servers by JoinEUI, as JSON: see docs/settings.md',
    usual: '-',
  }),
};
export type JoinServerSettings = SettingsOf<typeof joinServerSettings>;
