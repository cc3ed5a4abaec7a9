/** A catalogue of our own, in the layout of chirpstack-device-profiles. */
import { strToU8, zipSync } from 'fflate';

export const testCommit = '0123456789abcdef0123456789abcdef01234567';

const profile = (region: string, more = '') => `[profile]
id = "00000000-0000-0000-0000-000000000001"
vendor_profile_id = 7
region = "${region}"
mac_version = "1.0.3"
reg_params_revision = "A"
supports_otaa = true
supports_class_b = false
supports_class_c = false
max_eirp = 14
${more}
[profile.abp]
rx1_delay = 0
rx1_dr_offset = 0
rx2_dr = 0
rx2_freq = 0

[profile.class_b]
timeout_secs = 0
ping_slot_nb_k = 0
ping_slot_dr = 0
ping_slot_freq = 0

[profile.class_c]
timeout_secs = 0
`;

const thermoScript = `/* Copyright (c) 2026 Acme Sensors. SPDX-License-Identifier: MIT */
function decodeUplink(input) {
  if (input.bytes.length < 2) return { errors: ["too short"] };
  return { data: { temperature: ((input.bytes[0] << 8) | input.bytes[1]) / 10, port: input.fPort } };
}
function encodeDownlink(input) {
  return { fPort: 10, bytes: [input.data.interval] };
}
`;

const thermoTests = `[
  // The first measurement of the data sheet
  { "name": "21.4 °C", "input": { "fPort": 0x02, "bytes": [0x00, 0xD6] }, "expected": { "data": { "temperature": 21.4, "port": 2, } } },
  /* too short */
  { name: 'an error', input: { fPort: 2, bytes: [1] }, expected: { errors: ['too short'] } },
]
`;

export const acme = {
  LICENSE: 'The licence of the test catalogue.\n',
  'README.md': 'Not read.\n',
  'vendors/acme/vendor.toml': `[vendor]
id = "00000000-0000-0000-0000-0000000000aa"
name = "Acme Sensors"
vendor_id = 613
ouis = ["e8e1e1"]
devices = ["thermo.toml"]

[vendor.metadata]
homepage = "https://acme.example.org/"
`,
  'vendors/acme/devices/thermo.toml': `[device]
id = "00000000-0000-0000-0000-0000000000ab"
name = "Thermo 2000"
description = "Temperature sensor"

[[device.firmware]]
version = "1.0"
profiles = ["EU868.toml", "US915.toml"]
codec = "thermo.js"

[device.metadata]
product_url = "https://acme.example.org/thermo"
`,
  'vendors/acme/profiles/EU868.toml': profile('EU868'),
  'vendors/acme/profiles/US915.toml': profile('US915'),
  'vendors/acme/codecs/thermo.js': thermoScript,
  'vendors/acme/codecs/test_decode_thermo.json': thermoTests,
  'vendors/acme/codecs/test_encode_thermo.json':
    '[{ "name": "interval", "input": { "data": { "interval": 10 } }, "expected": { "fPort": 10, "bytes": [0x0A] } }]',
} as const;

export { profile as profileFile };

/** Packs files as GitHub does: below one folder, with the commit as the comment. */
export function zipOf(files: Readonly<Record<string, string>>, folder = 'device-profiles-main/'): Buffer<ArrayBuffer> {
  const entries = Object.entries(files).map(([name, text]) => [`${folder}${name}`, strToU8(text)] as const);
  const packed = Buffer.from(zipSync(Object.fromEntries(entries)));
  packed.writeUInt16LE(testCommit.length, packed.length - 2);
  return Buffer.concat([packed, Buffer.from(testCommit)]);
}
