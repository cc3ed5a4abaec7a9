/** Who operates the networks that gateways often hear. NetIDs are assigned by the LoRa Alliance. */
const operators: Readonly<Record<string, string>> = {
  '000000': 'private networks',
  '000001': 'private networks',
  '000002': 'Actility',
  '000003': 'Proximus',
  '000004': 'Swisscom',
  '000007': 'Bouygues Telecom',
  '000008': 'Orbiwise',
  '000009': 'Senet',
  '00000a': 'KPN',
  '00000d': 'SK Telecom',
  '00000f': 'Orange',
  '000012': 'Kerlink',
  '000013': 'The Things Network',
  '000015': 'Cisco',
  '000024': 'Helium',
  '00003c': 'Helium',
  '60002d': 'Helium',
  c00053: 'Helium',
};

/** "The Things Network (000013)"; the NetID alone for others. */
export function networkName(netID: string): string {
  if (netID === '') return 'No NetID, and others';
  const operator = operators[netID];
  return operator === undefined ? `NetID ${netID}` : `${operator} (${netID})`;
}
